import { describe, expect, it } from "vitest";
import type { ListQuery, PlatformApi } from "./api.ts";
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

function rightsWith(...bindings: readonly ReturnType<typeof binding>[]) {
  const asked: ListQuery[] = [];
  const api = {
    list: async (collection: string, query: ListQuery) => {
      asked.push(query);
      const rows = collection === "roles" ? roles : bindings;
      return { rows, totalCount: rows.length };
    },
  } as unknown as PlatformApi;
  return { asked, read: () => readPermissions(api, identity, new AbortController().signal) };
}

describe("a right", () => {
  it.each<[string, ReturnType<typeof binding>[], string, boolean]>([
    ["holds in the group of its binding", [binding(group, identity, viewer)], group, true],
    ["holds below it", [binding(root, identity, viewer)], group, true],
    ["does not hold above it", [binding(group, identity, viewer)], root, false],
    ["does not hold beside it", [binding(group, identity, viewer)], `${root}/2222222222222222`, false],
    ["is compared by segment", [binding(root, identity, viewer)], `${root}0/1111111111111111`, false],
    ["of another identity is not ours", [binding(root, other, viewer)], root, false],
    ["of a role that cannot be seen is not held", [binding(root, identity, "e".repeat(40))], root, false],
    ["is not held where no binding can be seen", [], root, false],
  ])("%s", async (_, bindings, scope, holds) => {
    const { rights } = await rightsWith(...bindings).read();
    expect(rights.allow(list, scope)).toBe(holds);
  });
});

it("asks for its own bindings alone, and knows them again", async () => {
  const own = binding(root, identity, viewer);
  const { asked, read } = rightsWith(own);
  const { rights } = await read();
  expect(asked).toContainEqual({ filter: { identity } });
  expect([...rights.ownBindings]).toEqual([own.uid]);
});

it("a name means the built-in role of that name", async () => {
  const { roles: catalog } = await rightsWith().read();
  expect(catalog.byName.get("viewer")?.uid).toBe(viewer);
  expect(catalog.byUid.get(custom)?.name).toBe("viewer");
});
