import { expect, it } from "vitest";
import type { KubeApi, ListOptions } from "./api.ts";
import { KubeError } from "./errors.ts";
import { listAll } from "./list-all.ts";
import type { KubeObject } from "./object.ts";

const resource = { group: "g", version: "v1", plural: "things", kind: "Thing" };
const { signal } = new AbortController();
const object = (name: string): KubeObject => ({ apiVersion: "g/v1", kind: "Thing", metadata: { name } });

const listing = (list: (options: ListOptions) => Promise<unknown>) =>
  ({ list: (_: unknown, options: ListOptions) => list(options) }) as unknown as KubeApi;

async function all(objects: AsyncIterable<KubeObject>): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const one of objects) found.push(one);
  return found;
}

it("reads all pages, with a call for each", async () => {
  const asked: ListOptions[] = [];
  const kube = listing(async (options) => {
    asked.push(options);
    return options.continue === undefined
      ? { metadata: { continue: "next" }, items: [object("a")] }
      : { metadata: { continue: "" }, items: [object("b")] };
  });
  const names = (await all(listAll(kube, resource, signal))).map(({ metadata }) => metadata.name);
  expect(names).toEqual(["a", "b"]);
  expect(asked).toEqual([
    { signal, limit: 200 },
    { signal, limit: 200, continue: "next" },
  ]);
});

it("returns none if the CRD does not exist, and passes other errors on", async () => {
  const failing = (code: number, reason: string) =>
    all(
      listAll(
        listing(() => Promise.reject(new KubeError({ call: "list things", code, reason }, "m"))),
        resource,
        signal,
      ),
    );
  expect(await failing(404, "NotFound")).toEqual([]);
  await expect(failing(403, "Forbidden")).rejects.toThrow("m");
});
