import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { ListQuery, ReadApi } from "#src/platform-client/api.ts";
import type { ResourceType } from "#src/platform-client/collection.ts";
import { readTree } from "./read-tree.ts";

const group = "a".repeat(40);
const identity = `${group}/${"1".repeat(16)}`;
const role = { uid: "b".repeat(40), name: "viewer" };
const binding = { uid: `${group}/${"2".repeat(16)}`, identity: { uid: identity, name: "me" }, role };
const capabilities = kinds.map(({ collection }) => collection.listCapability);

/** A platform on which the caller has the role viewer while `isViewer` says so, which is asked again by each read of the role bindings. */
function platformWhere(isViewer: (reads: number) => boolean): ReadApi {
  let reads = 0;
  const answer = (type: ResourceType, { filter }: Omit<ListQuery, "pageToken">): readonly object[] => {
    if (type.name === "roleBindings" && filter?.["identity"] === identity)
      return isViewer((reads += 1)) ? [binding] : [];
    return type.name === "roles" ? [{ ...role, description: "", capabilities }] : [];
  };
  return {
    get: async (type) => type.schema.parse({ uid: group, name: "team", description: "" }),
    list: async (type, query) => {
      const resources = answer(type, query).map((one) => type.schema.parse(one));
      return { resources, totalCount: resources.length, nextPageToken: undefined } as never;
    },
  };
}

it.each<[boolean, string, (reads: number) => boolean]>([
  [true, "has all the time", () => true],
  [false, "loses meanwhile", (reads) => reads === 1],
  [false, "gets meanwhile", (reads) => reads !== 1],
])("is complete: %s, with permissions that the caller %s", async (isComplete, _, isViewer) => {
  const { signal } = new AbortController();
  const read = await readTree(platformWhere(isViewer), {
    kinds,
    group,
    caller: { identity },
    elsewhere: false,
    signal,
  });
  expect(read.isComplete).toBe(isComplete);
  expect(read.unseen).toHaveLength(isComplete ? 0 : kinds.length);
});
