import { describe, expect, it } from "vitest";
import type { ListQuery, PlatformApi } from "./api.ts";
import type { ResourceType } from "./collection.ts";
import { readPermissions } from "./permissions.ts";

const root = "a".repeat(40);
const group = `${root}/1111111111111111`;
const identity = `${root}/0000000000000001`;
const other = `${root}/0000000000000002`;
const viewer = "c".repeat(40);
const custom = `${group}/9999999999999999`;
const list = "CAP_IAM_GROUPS_LIST";

const binding = (below: string, of: string, role: string) => ({
  uid: `${below}/5555555555555555`,
  identity: { uid: of, name: "" },
  role: { uid: role, name: "" },
});
const roles = [
  { uid: viewer, name: "viewer", capabilities: [list] },
  { uid: custom, name: "viewer", capabilities: [list, "CAP_REPO_LIST"] },
];

function platformWith(...bindings: readonly ReturnType<typeof binding>[]) {
  const queries: ListQuery[] = [];
  const api = {
    list: async ({ name }: ResourceType, query: ListQuery) => {
      queries.push(query);
      const resources = name === "roles" ? roles : bindings;
      return { resources, totalCount: resources.length };
    },
  } as unknown as PlatformApi;
  return { queries, read: () => readPermissions(api, identity, new AbortController().signal) };
}

describe("a capability", () => {
  it.each<[string, ReturnType<typeof binding>[], string, boolean]>([
    ["holds in the group of its role binding", [binding(group, identity, viewer)], group, true],
    ["holds below it", [binding(root, identity, viewer)], group, true],
    ["does not hold above it", [binding(group, identity, viewer)], root, false],
    ["does not hold in a sibling group", [binding(group, identity, viewer)], `${root}/2222222222222222`, false],
    ["compares uids by segment", [binding(root, identity, viewer)], `${root}0/1111111111111111`, false],
    ["of another identity does not hold", [binding(root, other, viewer)], root, false],
    ["of a role that is not visible does not hold", [binding(root, identity, "e".repeat(40))], root, false],
    ["does not hold without a visible role binding", [], root, false],
  ])("%s", async (_, bindings, scope, holds) => {
    const { permissions } = await platformWith(...bindings).read();
    expect(permissions.allow(list, scope)).toBe(holds);
  });
});

it("lists only its own role bindings and returns their uids, and those of their roles", async () => {
  const own = binding(root, identity, viewer);
  const { queries, read } = platformWith(own);
  const { permissions } = await read();
  expect(queries).toContainEqual({ filter: { identity } });
  expect([...permissions.ownBindings]).toEqual([own.uid]);
  expect([...permissions.ownRoles]).toEqual([viewer]);
});

it("finds a built-in role by name, and a custom role only by uid", async () => {
  const { roles: catalog } = await platformWith().read();
  expect(catalog.byName.get("viewer")?.uid).toBe(viewer);
  expect(catalog.byUid.get(custom)?.name).toBe("viewer");
});
