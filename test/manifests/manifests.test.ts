import { readdir, readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { apiVersion } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { describeWithBareControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { manifestsOf } from "#scripts/docs/check-blocks.ts";
import { parsePage } from "#scripts/docs/page-parser.ts";
import { readSources } from "#scripts/docs/sources.ts";
import { root } from "./case.ts";
import { cases, definitions, type ManifestKind } from "./cases.ts";
import * as status from "./status.ts";

const namespace = "default";
const kindNames = kinds.map(({ name }) => name);
const fresh = { observedGeneration: -1 };

describeWithBareControlPlane("manifests", (controlPlane) => {
  const kube = () => controlPlane().admin;
  const object = (kind: ManifestKind, name: string, spec: unknown): KubeObject => {
    const isNamespaced = definitions.some((one) => one.kind === kind && one.scope === "Namespaced");
    return { apiVersion, kind, metadata: { name, ...(isNamespaced ? { namespace } : {}) }, spec };
  };

  beforeAll(async () => {
    for (const text of await texts("../../crds/")) {
      const definition = await kube().apply(parse(text));
      await kube().waitFor(definition, (seen) => condition(seen, "Established") === "True");
    }
  });

  describe.each(definitions)("$kind", ({ kind }) => {
    /** Returns the object that the API server would store. Keeps no object. */
    async function submit(name: string, spec: unknown, before: object | undefined): Promise<KubeObject> {
      if (!before) return kube().create(object(kind, name, spec), { dryRun: true });
      const created = await kube().create(object(kind, name, before));
      try {
        const path = await kube().pathOf(created);
        return await kube().request("PUT", `${path}?dryRun=All&fieldValidation=Strict`, { body: { ...created, spec } });
      } finally {
        await kube().delete(created);
      }
    }

    it.each(numbered(cases[kind].valid))("accepts $what", async ({ spec, before, number }) => {
      const accepted = await submit(`valid-${number}`, spec, before);
      expect(accepted["spec"]).toMatchObject(JSON.parse(JSON.stringify(spec)));
    });

    it.each(numbered(cases[kind].invalid))("rejects $what", async ({ spec, before, errors, number }) => {
      expect(await causes(submit(`invalid-${number}`, spec, before))).toEqual([errors].flat().toSorted());
    });
  });

  describe("defaults", () => {
    it.each([
      ["Group", { adoption: "Never" }],
      ["Identity", { adoption: "Never" }],
      ["RoleBinding", {}],
    ] as const)("%s: everything but the deletion has a policy", async (kind, adoption) => {
      const [first] = cases[kind].valid;
      const created = await kube().create(object(kind, "policy", first?.spec), { dryRun: true });
      expect(created["spec"].policy).toEqual({ ...adoption, management: "Full", drift: "Correct" });
    });

    it("Tenant: permits nothing that widens it, and uses the operator's permissions", async () => {
      const created = await kube().create(object("Tenant", "defaults", { namespaces: ["shop"] }), { dryRun: true });
      expect(created["spec"]).toEqual({
        namespaces: ["shop"],
        identityTypes: ["ServiceAccount", "ClaimMatch"],
        undeclared: "Report",
        allowOrphan: false,
        credentials: { type: "Operator" },
        class: "",
      });
      expect(created["status"]).toEqual(fresh);
    });

    it("a null field counts as absent", async () => {
      const spec = { parentUid: root, parentRef: null, name: null, policy: { drift: null } };
      const created = await kube().create(object("Group", "nulls", spec), { dryRun: true });
      const policy = { management: "Full", adoption: "Never", drift: "Correct" };
      expect(created["spec"]).toEqual({ parentUid: root, undeclared: "Report", policy });
    });

    it("a new object has observedGeneration -1 in every read, whatever status it was created with", async () => {
      const created = await kube().create({
        ...object("Group", "fresh", { parentUid: root }),
        status: { observedGeneration: 1, uid: root },
      });
      const stop = new AbortController();
      try {
        expect(created["status"]).toEqual(fresh);
        expect((await kube().get(created))["status"]).toEqual(fresh);
        expect((await kube().list(created, { namespace })).map((one: KubeObject) => one["status"])).toEqual([fresh]);
        for await (const event of kube().watch(created, { namespace, name: "fresh", signal: stop.signal })) {
          expect(event.object["status"]).toEqual(fresh);
          break;
        }
      } finally {
        stop.abort();
        await kube().delete(created);
      }
    });
  });

  describe("status", () => {
    /** Writes the status of a new object, and returns the object that the API server stored. Keeps no object. */
    async function submit(name: string, written: unknown): Promise<KubeObject> {
      const created = await kube().create(object("Group", name, { parentUid: root }));
      try {
        return await kube().patch(created, { metadata: { uid: created.metadata.uid }, status: written }, "status");
      } finally {
        await kube().delete(created);
      }
    }

    it.each(numbered(status.valid))("accepts $what, without a new generation", async ({ status: written, number }) => {
      const accepted = await submit(`status-${number}`, written);
      expect(accepted["status"]).toEqual({ ...fresh, ...written });
      expect(accepted.metadata.generation).toBe(1);
    });

    it.each(numbered(status.invalid))("rejects $what", async ({ status: written, errors, number }) => {
      expect(await causes(submit(`status-${number}`, written))).toEqual([errors]);
    });
  });

  it("accepts the manifests in examples/", async () => {
    const folders = ["", "roles/", "tenants/", "login/", "accounts/", "invites/"].map((folder) =>
      texts(`../../examples/${folder}`),
    );
    for (const text of (await Promise.all(folders)).flat())
      for (const document of parseAllDocuments(text)) await kube().apply(document.toJSON());
    const counts = await Promise.all(
      kindNames.map(async (kind) => [kind, (await kube().list({ apiVersion, kind }, { namespace: "shop" })).length]),
    );
    const several = { Group: 3, Identity: 2, RoleBinding: 3 };
    expect(Object.fromEntries(counts)).toEqual({
      ...Object.fromEntries(kindNames.map((kind) => [kind, 1])),
      ...several,
    });
  });

  it("accepts the manifests in the documentation", async () => {
    const pages = readSources().map(parsePage);
    const rejected: string[] = [];
    let accepted = 0;
    // Pods need their service account.
    await kube().apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "checkout", namespace } });
    for (const page of pages)
      for (const { object: manifest, line } of manifestsOf(page)) {
        const { metadata, ...rest } = manifest as unknown as KubeObject;
        if (foreign.test(rest.apiVersion)) continue;
        // The namespaces of the pages do not exist here; the names of others may be taken by the examples.
        const inDefault = { ...metadata, ...(metadata.namespace === undefined ? {} : { namespace }) };
        const submitted = { ...rest, metadata: { ...inDefault, name: `${metadata.name}-docs` } } as KubeObject;
        await kube()
          .create(submitted, { dryRun: true })
          .then(
            () => (accepted += 1),
            (error: Error) => rejected.push(`${page.source.path}:${line}: ${error.message}`),
          );
      }
    expect(rejected).toEqual([]);
    expect(accepted).toBeGreaterThan(10);
  });
});

/** API groups of other projects, whose CRDs the control plane does not have, and of files of configuration. */
const foreign =
  /^(?:kubelet\.config\.k8s\.io|kustomize\.config\.k8s\.io|[\w.]*\.toolkit\.fluxcd\.io|argoproj\.io|monitoring\.coreos\.com|cert-manager\.io|gateway\.networking\.k8s\.io)\//;

/** The causes of a rejection, sorted, because the API server's order varies. */
async function causes(response: Promise<unknown>): Promise<string[]> {
  const error: unknown = await response.then(
    (accepted) => expect.unreachable(`accepted as ${JSON.stringify(accepted)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof KubeError)) throw error;
  const unknownField = /strict decoding error: (.*)$/.exec(error.message)?.[1];
  if (unknownField !== undefined) return [unknownField];
  const start = error.message.indexOf(" is invalid: ") + " is invalid: ".length;
  // Several causes are in brackets and separated by commas. Each starts with its field.
  return error.message
    .slice(start)
    .replace(/^\[(.*)\]$/s, "$1")
    .split(/, (?=(?:<nil>|(?:spec|status)[\w.[\]]*): )/)
    .filter((cause) => !cause.includes("some validation rules were not checked"))
    .toSorted();
}

function condition(seen: KubeObject | undefined, type: string): string | undefined {
  return seen?.["status"]?.conditions?.find((one: { type: string }) => one.type === type)?.status;
}

async function texts(folder: string): Promise<string[]> {
  const url = new URL(folder, import.meta.url);
  const files = (await readdir(url)).filter((file) => file.endsWith(".yaml")).toSorted();
  return Promise.all(files.map((file) => readFile(new URL(file, url), "utf8")));
}

/** Numbers the cases, so that each has an object with a name of its own. */
function numbered<Item extends object>(items: readonly Item[]): (Item & { number: number })[] {
  return items.map((item, number) => ({ ...item, number }));
}
