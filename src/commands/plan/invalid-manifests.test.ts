import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { group as manifest } from "./plan-world.testing.ts";
import { readManifests } from "./read-manifests.ts";

const group = manifest.replace("TEAM", "a".repeat(40));

it.each([
  ["kind: Group\n", "standard input: document 1 (line 1): apiVersion: is missing"],
  ["apiVersion: iam.muster.dev/v1beta1\nkind: Group\n", "document 1 (line 1): metadata.name: is missing"],
  ["a: [", "standard input: document 1 (line 1): "],
  [
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: a}\n",
    "kind: Kustomization is for Kustomize: give its folder to --kustomize (-k)",
  ],
  [
    group.replace("v1beta1", "v1"),
    "document 1 (line 2): kind: there is no Group of iam.muster.dev/v1; the kinds are Group, Identity, ",
  ],
  [group.replace("kind: Group", "kind: Grup"), "document 1 (line 2): kind: there is no Grup of iam.muster.dev/v1beta1"],
  [
    group.replace("{name: shop,", "{generateName: shop-,"),
    "metadata.generateName: the API server chooses another name",
  ],
  [group.replace("{name: shop,", "{name: Shop,"), "metadata.name: must be the name of a Kubernetes object: lowercase"],
  [
    group.replace("{name: shop,", "{name: a/../b,"),
    "metadata.name: must be the name of a Kubernetes object: lowercase",
  ],
  [group.replace("{name: shop,", "{name: 1,"), "metadata.name: Invalid input: expected string, received number"],
  [group.replace("namespace: shop", "namespace: Shop"), "metadata.namespace: "],
  // What kubectl refuses, too: YAML reads it as a boolean.
  [
    group.replace("namespace: shop", "namespace: shop, annotations: {iam.muster.dev/paused: true}"),
    "metadata.annotations.iam.muster.dev/paused: Invalid input: expected string, received boolean",
  ],
  ...["a b", "/a", "a/", "a/b/c", "A.b/c", "a".repeat(64), "-a"].map((name): [string, string] => [
    group.replace("namespace: shop", `namespace: shop, labels: {"${name}": "1"}`),
    `metadata.labels.${name}: the name must have only letters, digits`,
  ]),
  ...["a b", "-", "a".repeat(64), "é"].map((value): [string, string] => [
    group.replace("namespace: shop", `namespace: shop, labels: {team: "${value}"}`),
    "metadata.labels.team: the value must have only letters, digits",
  ]),
  [
    group.replace("namespace: shop", 'namespace: shop, annotations: {"a b": "1"}'),
    "metadata.annotations.a b: the name must have only letters, digits",
  ],
  [
    group.replace(
      "namespace: shop",
      `namespace: shop, annotations: {a: ${"x".repeat(131_072)}, b: ${"y".repeat(131_072)}}`,
    ),
    "metadata.annotations: are larger than 256 KiB in all",
  ],
  [`${group.slice(0, -4)}\nspec: {}\n`, "document 1 (line 2): Map keys must be unique (line 7)"],
  [group + group, "document 2 (line 8): metadata.name: Group shop/shop is also in standard input: document 1"],
  [group.replace("description", "descriptoin"), "document 1 (line 2): spec.descriptoin: is not a field of Group"],
  [group.replace("namespace", "namespce"), "document 1 (line 2): metadata.namespce: is not a field of Group"],
  [group.replace("spec:", "sepc: {}\nspec:"), "document 1 (line 2): sepc: is not a field of Group"],
  [group.replace("parentUid: a", "parentUid: /a"), "document 1 (line 2): spec.parentUid: "],
  [group.replace("The web shop", "null"), "spec.description: is null: remove the field, or give it a value"],
  [group.replace(/parentUid: \w+/, "parentRef: {nam: a}"), "spec.parentRef.name: is missing"],
])("names file, document and field of a mistake: %j", async (text, mistake) => {
  const { signal } = new AbortController();
  const reading = readManifests(["-"], { stdin: Readable.from([text]), signal, namespace: "shop", kinds });
  await expect(reading).rejects.toThrow(mistake);
});

it.each([
  'labels: {team: "", app.kubernetes.io/name: a_b.C-1, A: x}',
  'annotations: {Example.com/a_B: "any text, {\u00e9}", paused: ""}',
])("accepts the metadata %s", async (metadata) => {
  const { signal } = new AbortController();
  const stdin = Readable.from([group.replace("namespace: shop", `namespace: shop, ${metadata}`)]);
  const { manifests } = await readManifests(["-"], { stdin, signal, namespace: "shop", kinds });
  expect(manifests).toHaveLength(1);
});
