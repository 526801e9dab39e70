import { describe, expect, it } from "vitest";
import type { ListOptions } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { ReadBudget } from "./read-budget.ts";
import { ClusterReads, type Reading } from "./cluster-reads.ts";

const resource = { group: "g", version: "v1", plural: "things", kind: "Thing" };
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
  const budget = new ReadBudget("ask for less", 1_000_000);
  return { asked, cluster: new ClusterReads({ list, get: refused, create: refused } as never, signal, budget) };
}

it("reads all pages of a list", async () => {
  const { asked, cluster } = clusterOf(401);
  const read = await cluster.list(resource, "shop");
  expect(read.state === "found" && read.value.map(({ metadata }) => metadata.name).at(-1)).toBe("thing-400");
  expect(asked.map(({ namespace }) => namespace)).toEqual(["shop", "shop", "shop"]);
});

it("does not know what is in a list that does not fit into the memory, and reads no further", async () => {
  const { asked, cluster } = clusterOf(1_000_000);
  expect(await cluster.list(resource)).toEqual({
    state: "unknown",
    because: expect.stringMatching(
      /^with the things of the cluster, more than 1 MiB would be read, .*, or ask for less$/,
    ),
    fix: "Ask about one object, with muster why.",
  });
  expect(asked.length).toBeLessThanOrEqual(50);
});

describe("a read that Kubernetes refuses", () => {
  const refused = () =>
    Promise.reject(new KubeError({ call: "get things", code: 403, reason: "Forbidden" }, 'User "ana"'));
  const cluster = new ClusterReads({ get: refused, list: refused, create: refused }, signal);
  const commandOf = (read: Reading<unknown>) =>
    read.state === "unknown" && typeof read.fix !== "string" ? read.fix.command : undefined;

  it("of one object names it in the role that would permit the read", async () => {
    expect(commandOf(await cluster.get(resource, "shop", "a"))).toBe(
      "kubectl create role -n shop muster-get-things-a --verb=get --resource=things.g --resource-name=a && kubectl create rolebinding -n shop muster-get-things-a --role=muster-get-things-a --user=ana",
    );
    expect(commandOf(await cluster.kubeSystemUid())).toMatch(
      /^kubectl create clusterrole muster-get-namespaces-kube-system .* --resource-name=kube-system && /,
    );
  });

  it("of one of several objects names all of them, so that one role permits all reads", async () => {
    const commands = ["a", "b"].map(async (name) =>
      commandOf(await cluster.get(resource, undefined, name, ["a", "b"])),
    );
    const [first, second] = await Promise.all(commands);
    expect(first).toMatch(/^kubectl create clusterrole muster-get-things .* --resource-name=a --resource-name=b && /);
    expect(second).toBe(first);
  });

  it("of a list names no object", async () => {
    expect(commandOf(await cluster.list(resource))).not.toContain("--resource-name");
  });
});
