import { readdir, readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { apiVersion, type KindName } from "#src/api/resource.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { root } from "./row.ts";
import { rows } from "./rows.ts";
import * as status from "./status.ts";

const namespace = "default";
const kinds = Object.keys(rows) as KindName[];
const fresh = { observedGeneration: -1 };

describeWithControlPlane("manifests", (controlPlane) => {
  const kube = () => controlPlane().admin;
  const object = (kind: KindName, name: string, spec: unknown): KubeObject => {
    return { apiVersion, kind, metadata: { name, namespace }, spec };
  };

  beforeAll(async () => {
    for (const text of await texts("../../crds/")) {
      const definition = await kube().apply(parse(text));
      await kube().waitFor(definition, (seen) => condition(seen, "Established") === "True");
    }
  });

  describe.each(kinds)("%s", (kind) => {
    /** What would become of the spec; nothing stays. */
    async function judge(name: string, spec: unknown, before: object | undefined): Promise<KubeObject> {
      if (!before) return kube().create(object(kind, name, spec), { dryRun: true });
      const created = await kube().create(object(kind, name, before));
      try {
        const path = await kube().pathOf(created);
        return await kube().request("PUT", `${path}?dryRun=All&fieldValidation=Strict`, { body: { ...created, spec } });
      } finally {
        await kube().delete(created);
      }
    }

    it.each(numbered(rows[kind].right))("accepts $what", async ({ spec, before, number }) => {
      const accepted = await judge(`right-${number}`, spec, before);
      expect(accepted["spec"]).toMatchObject(JSON.parse(JSON.stringify(spec)));
    });

    it.each(numbered(rows[kind].wrong))("refuses $what", async ({ spec, before, refused, number }) => {
      expect(await causes(judge(`wrong-${number}`, spec, before))).toEqual([refused].flat().toSorted());
    });
  });

  describe("what the API server fills in", () => {
    it.each([
      ["Group", "Never"],
      ["Identity", "Never"],
      ["RoleBinding", "IfExists"],
    ] as const)("%s: adoption is %s unless the policy says otherwise", async (kind, adoption) => {
      const [row] = rows[kind].right;
      const created = await kube().create(object(kind, "policy", row?.spec), { dryRun: true });
      expect(created["spec"].policy).toEqual({ adoption, deletion: "Delete", drift: "Correct" });
    });

    it("takes a field left empty in YAML as absent", async () => {
      const spec = { parentUid: root, parentRef: null, name: null, policy: { drift: null } };
      const created = await kube().create(object("Group", "nulls", spec), { dryRun: true });
      const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
      expect(created["spec"]).toEqual({ parentUid: root, policy });
    });

    it("shows a fresh object as not yet looked at, wherever it is read, whatever status it was created with", async () => {
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
    /** What would become of the status of an object; nothing stays. */
    async function judge(name: string, written: unknown): Promise<KubeObject> {
      const created = await kube().create(object("Group", name, { parentUid: root }));
      try {
        return await kube().patch(created, { metadata: { uid: created.metadata.uid }, status: written }, "status");
      } finally {
        await kube().delete(created);
      }
    }

    it.each(numbered(status.right))(
      "accepts $what, which is no new generation",
      async ({ status: written, number }) => {
        const accepted = await judge(`status-${number}`, written);
        expect(accepted["status"]).toEqual({ ...fresh, ...written });
        expect(accepted.metadata.generation).toBe(1);
      },
    );

    it.each(numbered(status.wrong))("refuses $what", async ({ status: written, refused, number }) => {
      expect(await causes(judge(`status-${number}`, written))).toEqual([refused]);
    });
  });

  it("takes the examples as they are", async () => {
    for (const text of await texts("../../examples/"))
      for (const document of parseAllDocuments(text)) await kube().apply(document.toJSON());
    const examples = await Promise.all(kinds.map((kind) => kube().list({ apiVersion, kind }, { namespace: "shop" })));
    expect(examples.map((all) => all.length)).toEqual([3, 2, 2]);
  });
});

/** The causes of a refusal, in an order of their own: the API server's is not always the same. */
async function causes(answer: Promise<unknown>): Promise<string[]> {
  const error: unknown = await answer.then(
    (accepted) => expect.unreachable(`accepted as ${JSON.stringify(accepted)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof KubeError)) throw error;
  const unknownField = /strict decoding error: (.*)$/.exec(error.message)?.[1];
  if (unknownField !== undefined) return [unknownField];
  const start = error.message.indexOf(" is invalid: ") + " is invalid: ".length;
  // One cause stands alone, several in brackets with a comma between them; each begins with its field.
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

/** Each row has an object of its own, named by its number. */
function numbered<Item extends object>(items: readonly Item[]): (Item & { number: number })[] {
  return items.map((item, number) => ({ ...item, number }));
}
