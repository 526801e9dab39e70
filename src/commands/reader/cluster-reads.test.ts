import { expect, it } from "vitest";
import type { ListOptions } from "#src/kube/api.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { ClusterReads } from "./cluster-reads.ts";

const resource = { group: "g", version: "v1", plural: "things", kind: "Thing", namespaced: true };
const { signal } = new AbortController();

/** A cluster with so many objects, and what it was asked. */
function clusterOf(count: number) {
  const asked: ListOptions[] = [];
  const refused = () => Promise.reject(new Error("only lists are expected"));
  const list = async (_: unknown, options: ListOptions) => {
    asked.push(options);
    const start = Number(options.continue ?? 0);
    const end = Math.min(start + (options.limit ?? count), count);
    const items = Array.from({ length: end - start }, (_one, index): KubeObject => {
      return { apiVersion: "g/v1", kind: "Thing", metadata: { name: `thing-${start + index}` } };
    });
    return { metadata: end < count ? { continue: String(end) } : {}, items };
  };
  return { asked, cluster: new ClusterReads({ list, get: refused, create: refused } as never, signal) };
}

it("reads all pages of a list", async () => {
  const { asked, cluster } = clusterOf(1_001);
  const read = await cluster.list(resource, "shop");
  expect(read.state === "found" && read.value.map(({ metadata }) => metadata.name).at(-1)).toBe("thing-1000");
  expect(asked.map(({ namespace }) => namespace)).toEqual(["shop", "shop", "shop"]);
});

it("does not know what is in a list of more than 20,000 objects, and reads no further", async () => {
  expect(await clusterOf(20_000).cluster.list(resource)).toMatchObject({ state: "found" });
  const { asked, cluster } = clusterOf(1_000_000);
  expect(await cluster.list(resource)).toEqual({
    state: "unknown",
    because: "there are more than 20000 things, which are not all read",
    fix: { text: "Ask about one of them:", command: "kubectl get things" },
  });
  expect(asked.length).toBeLessThanOrEqual(41);
});
