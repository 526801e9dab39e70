import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import { declaredText } from "./access-view.ts";
import { declarationsIn } from "./declarations.ts";

const { signal } = new AbortController();
const sha = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const group = (name: string, metadata: object) => ({
  metadata: { namespace: "shop", name, ...metadata },
  status: { uid: name },
});
const tracked = (name: string, application: string) =>
  group(name, {
    annotations: { "argocd.argoproj.io/tracking-id": `${application}:iam.muster.dev/Group:shop/${name}` },
  });
const fluxed = (name: string, kustomization: string) =>
  group(name, {
    labels: { "kustomize.toolkit.fluxcd.io/name": kustomization, "kustomize.toolkit.fluxcd.io/namespace": "flux" },
  });
const deployer = (namespace: string, name: string, status: object) => ({ metadata: { namespace, name }, status });

/** What the tables show of each group, with such objects in the cluster. Others than these cannot be listed. */
async function shown(objects: Readonly<Record<string, readonly object[]>>) {
  const asked: string[] = [];
  const list = async ({ group: of, plural }: ResourceKind) => {
    asked.push(plural);
    const items = objects[plural] ?? (of === "iam.muster.dev" ? [] : undefined);
    if (items === undefined)
      throw new KubeError({ call: `list ${plural}`, code: 403, reason: "Forbidden" }, "forbidden");
    return { metadata: {}, items };
  };
  const found = await declarationsIn({ list } as never, kinds, signal);
  return { asked, texts: [...found.values()].map(declaredText) };
}

it("names the revision that the Argo CD Application has applied", async () => {
  const groups = [
    tracked("synced", "app"),
    tracked("compared", "other"),
    tracked("elsewhere", "team_its"),
    tracked("failed", "failed"),
    tracked("twice", "same"),
    tracked("gone", "gone"),
    tracked("unsynced", "one-of-two"),
  ];
  const failed = { phase: "Failed", syncResult: { revision: sha } };
  const applications = [
    deployer("argocd", "app", { operationState: { phase: "Succeeded", syncResult: { revision: sha } } }),
    deployer("argocd", "other", { sync: { status: "Synced", revisions: ["a", "b"] } }),
    deployer("team", "its", { sync: { status: "Synced", revision: "v3" } }),
    deployer("argocd", "failed", { operationState: failed, sync: { status: "OutOfSync", revision: sha } }),
    { metadata: { namespace: "argocd", name: "new" }, status: null },
    deployer("one", "same", { sync: { status: "Synced", revision: "x" } }),
    deployer("two", "same", { sync: { status: "Synced", revision: "y" } }),
    deployer("one", "one-of-two", { sync: { status: "Synced", revision: "x" } }),
    deployer("two", "one-of-two", { sync: { status: "OutOfSync" } }),
  ];
  const { asked, texts } = await shown({ groups, applications });
  expect(texts).toEqual([
    "shop/synced (Argo CD app at 4b825dc642cb)",
    "shop/compared (Argo CD other at a, b)",
    "shop/elsewhere (Argo CD team_its at v3)",
    "shop/failed (Argo CD failed)",
    "shop/twice (Argo CD same)",
    "shop/gone (Argo CD gone)",
    "shop/unsynced (Argo CD one-of-two)",
  ]);
  expect(asked).not.toContain("kustomizations");
});

it("names the revision that the Flux Kustomization has applied", async () => {
  const kustomizations = [deployer("flux", "apps", { lastAppliedRevision: `main@sha1:${sha}` })];
  const { asked, texts } = await shown({ groups: [fluxed("web", "apps"), fluxed("api", "others")], kustomizations });
  expect(texts).toEqual(["shop/web (Flux flux/apps at main@sha1:4b825dc642cb)", "shop/api (Flux flux/others)"]);
  expect(asked).not.toContain("applications");
});

it("names no revision where it cannot be read, and asks for none where nothing is deployed", async () => {
  const { texts } = await shown({ groups: [tracked("web", "app"), fluxed("api", "apps")] });
  expect(texts).toEqual(["shop/web (Argo CD app)", "shop/api (Flux flux/apps)"]);
  const { asked } = await shown({ groups: [group("web", {})] });
  // Of Muster's kinds, only account associations are not listed.
  expect(asked).toHaveLength(kinds.length - 1);
});

it("names the Group of a group, and not the AccountAssociation, which has the same uid", async () => {
  const accountassociations = [{ metadata: { namespace: "shop", name: "accounts" }, status: { uid: "web" } }];
  const { asked, texts } = await shown({ groups: [group("web", {})], accountassociations });
  expect(texts).toEqual(["shop/web"]);
  expect(asked).not.toContain("accountassociations");
});

it.each([
  ["before", ["audit", "shop"]],
  ["after", ["shop", "watch"]],
])("names the object that manages what another one observes, also if it comes %s", async (_, namespaces) => {
  const groups = namespaces.map((namespace) => ({
    metadata: { namespace, name: "web" },
    spec: { policy: { management: namespace === "shop" ? "Full" : "Observe" } },
    status: { uid: "web" },
  }));
  expect((await shown({ groups })).texts).toEqual(["shop/web"]);
});
