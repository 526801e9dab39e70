import { expect, it } from "vitest";
import type { KubeApi } from "#src/kube/api.ts";
import { listAll as listAllObjects } from "#src/kube/list-all.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { roles } from "#src/platform-client/permission-resources.ts";
import { listAll } from "#src/platform-client/list-all.ts";
import { ReadBudget, TooMuchToRead } from "./read-budget.ts";

const { signal } = new AbortController();
const things = { group: "g", version: "v1", plural: "things", kind: "Thing" };
const text = "a".repeat(1_000);

/** A platform and a cluster with one resource on each of so many pages, and how many pages were read. */
function worldOf(pages: number) {
  const read = { platform: 0, cluster: 0 };
  const api = {
    list: async () => {
      const uid = (read.platform += 1).toString(16).padStart(40, "0");
      const next = read.platform < pages ? { nextPageToken: uid } : {};
      return { resources: [{ uid, name: text, capabilities: [] }], totalCount: pages, ...next };
    },
    get: async () => ({ uid: "a" }),
  } as unknown as ReadApi;
  const kube = {
    list: async () => {
      read.cluster += 1;
      const next = read.cluster < pages ? { continue: String(read.cluster) } : {};
      return { metadata: next, items: [{ metadata: { name: text } }] };
    },
  } as unknown as KubeApi;
  return { api, kube, read };
}

async function readAll(world: ReturnType<typeof worldOf>, budget: ReadBudget): Promise<number> {
  let objects = 0;
  for await (const _ of listAllObjects(budget.cluster(world.kube), things, signal)) objects += 1;
  return objects + (await listAll(budget.platform(world.api), roles, {}, signal)).resources.length;
}

it("reads what fits, of a cluster and of a platform", async () => {
  expect(await readAll(worldOf(40), new ReadBudget(undefined, 100_000))).toBe(80);
  expect(await new ReadBudget(undefined, 0).platform(worldOf(1).api).get(roles, "a", signal)).toEqual({ uid: "a" });
});

it("counts both together, stops at the page that does not fit, and says what to do", async () => {
  const world = worldOf(10_000);
  const error = await readAll(worldOf(10_000), new ReadBudget("name a smaller group", 100_000)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TooMuchToRead);
  expect(String(error)).toMatch(
    /things of the cluster, .*NODE_OPTIONS=--max-old-space-size=\d+, or name a smaller group$/,
  );
  const shared = new ReadBudget(undefined, 100_000);
  await readAll(worldOf(40), shared);
  await expect(listAll(shared.platform(world.api), roles, {}, signal)).rejects.toThrow("roles of the platform");
  expect(world.read.platform).toBeLessThan(30);
});
