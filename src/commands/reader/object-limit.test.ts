import { expect, it } from "vitest";
import type { KubeApi, ListOptions } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import type { ListQuery, ReadApi } from "#src/platform-client/api.ts";
import type { ResourceType } from "#src/platform-client/collection.ts";
import { roleBindings, roles } from "#src/platform-client/permission-resources.ts";
import { requireFewObjects, requireFewResources } from "./object-limit.ts";
import { TooMuchToRead } from "./read-budget.ts";

const { signal } = new AbortController();
const kindOf = (plural: string): ResourceKind => ({ group: "g", version: "v1", plural, kind: plural });
const [groups, identities] = [kindOf("groups"), kindOf("identities")];
const narrow = "read no cluster";

/** A cluster with so many objects of each resource, as the API server counts them. */
function clusterOf(counts: Readonly<Record<string, number>>) {
  const asked: ListOptions[] = [];
  const list = async ({ plural }: ResourceKind, options: ListOptions) => {
    asked.push(options);
    const count = counts[plural];
    if (count === undefined) throw new KubeError({ call: "list", code: 403, reason: "Forbidden" }, "forbidden");
    const metadata = count > 1 ? { continue: "1", remainingItemCount: count - 1 } : {};
    return { metadata, items: count === 0 ? [] : [{ apiVersion: "g/v1", kind: plural, metadata: { name: "first" } }] };
  };
  return { asked, kube: { list } as unknown as Pick<KubeApi, "list"> };
}

it("counts a cluster with one object of each resource, and says what it has and what to narrow", async () => {
  const { asked, kube } = clusterOf({ groups: 2_000, identities: 10_001 });
  await requireFewObjects(kube, [groups, identities], { maxObjects: 12_001, narrow }, signal);
  expect(asked).toEqual([
    { limit: 1, signal },
    { limit: 1, signal },
  ]);
  const refused = requireFewObjects(kube, [groups, identities], { maxObjects: 12_000, narrow }, signal);
  await expect(refused).rejects.toThrow(TooMuchToRead);
  await expect(refused).rejects.toThrow(
    "the cluster has 12,001 objects (10,001 identities, 2,000 groups), and --max-objects is 12000, so nothing was read. To read fewer, read no cluster. To read all of them, which takes minutes and gigabytes, give --max-objects=12001",
  );
});

it("leaves what cannot be counted to the list that follows", async () => {
  const { kube } = clusterOf({ groups: 5 });
  await requireFewObjects(kube, [groups, identities], { maxObjects: 5, narrow }, signal);
});

it("counts what a platform has in all of the groups by first pages, which are not read again", async () => {
  const asked: ListQuery[] = [];
  const list = async ({ name }: ResourceType, query: ListQuery) => {
    asked.push(query);
    return { resources: [], totalCount: name === "roles" ? 3 : 40 };
  };
  const api = { list } as unknown as ReadApi;
  const scopes = ["a", "b"].map((descendantsOf) => ({ descendantsOf }));
  const reads = await requireFewResources(api, [roles], { maxObjects: 3, narrow }, signal);
  await reads.list(roles, {}, signal);
  expect(asked).toEqual([{}]);
  await reads.list(roles, {}, signal);
  await expect(
    requireFewResources(api, [roles, roleBindings], { maxObjects: 85, narrow }, signal, scopes),
  ).rejects.toThrow("the platform has 86 objects (80 roleBindings, 6 roles)");
  const byScope = scopes.map((scope) => ({ scope }));
  expect(asked).toEqual([{}, {}, ...byScope, ...byScope]);
});
