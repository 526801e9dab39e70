import { expect, it } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import type { KubeApi, ListOptions } from "./api.ts";
import { KubeClient } from "./client.ts";
import { KubeError } from "./errors.ts";
import { listPages } from "./list-pages.ts";
import type { KubeList, KubeObject } from "./object.ts";
import { long, ScriptedServer } from "./scripted-server.testing.ts";

const resource = { group: "g", version: "v1", plural: "things", kind: "Thing" };
const { signal } = new AbortController();
const objects = (count: number): readonly KubeObject[] =>
  Array.from({ length: count }, (_, index) => ({ apiVersion: "g/v1", kind: "Thing", metadata: { name: `t${index}` } }));

type Lister = (options: ListOptions) => KubeList;

/** The sizes of the pages, and the limits that were asked for. */
async function pagesOf(
  list: Lister,
): Promise<{ readonly sizes: readonly number[]; readonly limits: readonly number[] }> {
  const limits: number[] = [];
  const sizes: number[] = [];
  const kube = {
    list: async (_: unknown, options: ListOptions) => {
      limits.push(options.limit ?? 0);
      return list(options);
    },
  } as unknown as KubeApi;
  for await (const { items } of listPages(kube, resource, signal)) sizes.push(items.length);
  return { sizes, limits };
}

/** An API server with some objects, of which more than `most` do not fit into a response. */
function serverOf(total: number, most: number): Lister {
  return ({ continue: token = "0", limit = 0 }) => {
    const start = Number(token);
    const count = Math.min(limit, total - start);
    if (count > most) throw KubeError.tooLarge("list things", 1, undefined);
    return { metadata: start + count < total ? { continue: String(start + count) } : {}, items: objects(count) };
  };
}

it("asks for fewer objects from the first page on that is too large for a response", async () => {
  const { limits, sizes } = await pagesOf(serverOf(300, 42));
  expect(limits.slice(0, 4)).toEqual([200, 100, 50, 25]);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(300);
  expect(Math.max(...sizes)).toBe(25);
});

it("fails if a single object is too large for a response", async () => {
  await expect(pagesOf(serverOf(3, 0))).rejects.toThrow("list things: the response is larger than");
});

it("fails where a page leads to itself, and where the list does not end", async () => {
  await expect(pagesOf(() => ({ metadata: { continue: "a" }, items: objects(1) }))).rejects.toThrow(
    "list things: a page of the list leads to itself",
  );
  let page = 0;
  const endless = pagesOf(() => ({ metadata: { continue: String((page += 1)) }, items: [] }));
  await expect(endless).rejects.toThrow("list things: the list has more than 20000 pages");
});

it("reads objects of 1.5 MiB, of which a page of 200 does not fit into a response", async () => {
  const server = new ScriptedServer();
  const connection = { server: await server.listen(), token: async () => undefined };
  const client = new KubeClient({ connection, clock: systemClock });
  const large = JSON.stringify({ ...objects(1)[0], spec: { text: "a".repeat(1.5 * 2 ** 20) } });
  const pageOf = (count: number) =>
    long(function* () {
      yield '{"metadata":{},"items":[';
      for (let index = 0; index < count; index += 1) yield index === 0 ? large : `,${large}`;
      yield "]}";
    });
  server.respondsWith(...[200, 100, 50, 25].map(pageOf));
  try {
    const sizes: number[] = [];
    for await (const { items } of listPages(client, resource, signal)) sizes.push(items.length);
    expect(sizes).toEqual([25]);
  } finally {
    await client.close();
    await server.close();
  }
});
