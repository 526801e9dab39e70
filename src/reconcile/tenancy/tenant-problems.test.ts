import { describe, expect, it } from "vitest";
import type { TenantSpec } from "#src/api/tenant.ts";
import { otherRoot, parent, root, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { findTenantProblems, type TenantProblems } from "./tenant-problems.ts";

const [viewer, editor] = [
  { uid: "c".repeat(40), name: "viewer", capabilities: [] },
  { uid: "d".repeat(40), name: "editor", capabilities: [] },
];
const roles = {
  byName: new Map([viewer, editor].map((role) => [role.name, role])),
  byUid: new Map([viewer, editor].map((role) => [role.uid, role])),
};
const outer = { roots: [parent], roles: ["viewer"], namespaces: null as readonly string[] | null };
const none = { groupsOutside: [], rolesOutside: [], namespacesOutside: [], unknownRoles: [], allowedRoles: ["viewer"] };

const find = (spec: Partial<TenantSpec>, bound = outer, known: typeof roles | null = roles) =>
  findTenantProblems(spec as TenantSpec, bound, known ?? undefined);

describe("what a Tenant names", () => {
  it.each<[string, Partial<TenantSpec>, Partial<TenantProblems>]>([
    ["may be nothing", {}, {}],
    ["may be a group of the operator", { groups: [parent] }, {}],
    ["may be a group below one", { groups: [uid] }, {}],
    ["may be a group above one, which is narrowed", { groups: [root] }, {}],
    ["may not be another group", { groups: [uid, otherRoot] }, { groupsOutside: [otherRoot] }],
    ["may be a role that the settings allow, by its name", { roles: ["viewer"] }, {}],
    ["may be a role that the settings allow, by its uid", { roles: [viewer.uid] }, {}],
    [
      "may not be another role, by its name or its uid",
      { roles: ["editor", editor.uid] },
      { rolesOutside: ["editor", editor.uid] },
    ],
    ["may not be a role that does not exist", { roles: ["none"] }, { rolesOutside: ["none"], unknownRoles: ["none"] }],
    ["may be any namespace", { namespaces: ["team"] }, {}],
  ])("%s", (_, spec, expected) => {
    expect(find(spec)).toEqual({ ...none, ...expected });
  });

  it("may be a role by its name that the settings allow by its uid", () => {
    const byUid = { ...outer, roles: [viewer.uid] };
    expect(find({ roles: ["viewer", "editor"] }, byUid)).toMatchObject({ rolesOutside: ["editor"] });
    expect(find({ roles: ["viewer"] }, byUid, null)).toMatchObject({ rolesOutside: ["viewer"] });
  });

  it("is not called unknown before the roles were read", () => {
    expect(find({ roles: ["viewer", "none"] }, outer, null)).toMatchObject({
      rolesOutside: ["none"],
      unknownRoles: [],
    });
  });

  it("may be only namespaces that the settings allow", () => {
    expect(find({ namespaces: ["team", "others"] }, { ...outer, namespaces: ["team"] })).toMatchObject({
      namespacesOutside: ["others"],
    });
  });
});
