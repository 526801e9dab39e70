import { equal, has, holds, isEmptyBody, matches, rejected, resourcesOf, succeeded } from "../../expect.ts";
import { contractSection, overBoth, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

/** Creates a group and an identity in it, and binds the identity to the built-in role viewer. */
async function bound(world: World) {
  const group = await world.make("groups", world.group, { name: "group", description: "of a binding" });
  const identity = await world.make("identities", group.uid, { name: "identity", description: "bound", claimMatch });
  const role = succeeded(await world.api.get("roles", await world.builtInRole("viewer")));
  const body = { identityUid: identity.uid, roleUid: role.uid };
  return { group, identity, role, binding: await world.make("roleBindings", group.uid, body) };
}

/** Sections 2 (RoleBinding) and 4.4. */
export const roleBindings = contractSection("4.4 Role bindings", [
  requirement(
    "2.role-binding.binds",
    "A role binding binds one identity to one role within a group.",
    overBoth(async (world) => {
      const { api } = await world.caller("viewer");
      succeeded(await api.get("groups", world.group), "reading the group in which the identity is bound");
    }),
  ),
  requirement(
    "2.role-binding.identity",
    "`identity` is hydrated: `uid`, `name`, `description`, `subject`, `issuer`.",
    overBoth(async (world) => {
      const { identity, binding } = await bound(world);
      const expected = { uid: identity.uid, name: "identity", description: "bound", ...claimMatch };
      has(binding["identity"], expected, "identity");
    }),
  ),
  requirement(
    "2.role-binding.group",
    "`group` is hydrated: `uid`, `name`, `description`.",
    overBoth(async (world) => {
      const { group, binding } = await bound(world);
      has(binding["group"], { uid: group.uid, name: "group", description: "of a binding" }, "group");
    }),
  ),
  requirement(
    "2.role-binding.role",
    "`role` is hydrated: `uid`, `name`, `description`.",
    overBoth(async (world) => {
      const { role, binding } = await bound(world);
      has(binding["role"], { uid: role.uid, name: role.name, description: role.description }, "role");
    }),
  ),
  requirement(
    "2.role-binding.create-time",
    "A role binding has `createTime`.",
    overBoth(async (world) => matches((await bound(world)).binding.createTime, /^\d{4}-\d\d-\d\dT/, "createTime")),
  ),
  requirement(
    "2.role-binding.required",
    "Create request fields: `identityUid` (string, required), `roleUid` (string, required).",
    overBoth(async (world) => {
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const { api, group } = world;
      const missing = (field: string) => ({ code: 3, reason: "INVALID_ARGUMENT", field });
      rejected(
        await api.create("roleBindings", group, { roleUid }),
        missing("identityUid"),
        "a Create without identityUid",
      );
      rejected(
        await api.create("roleBindings", group, { identityUid }),
        missing("roleUid"),
        "a Create without roleUid",
      );
      equal(await world.list("roleBindings", { uidp: { childrenOf: group } }), [], "the created bindings");
    }),
  ),
  requirement(
    "4.4.create",
    "`POST /iam/v2beta1/roleBindings/<group_uid>`: the group is in the path; returns the binding with hydrated `identity`, `group` and `role` objects.",
    overBoth(async (world) => {
      const { group, identity, role, binding } = await bound(world);
      holds(binding.uid.startsWith(`${group.uid}/`), "its uid", `one in ${group.uid}`, binding.uid);
      has(
        binding,
        { identity: { uid: identity.uid }, group: { uid: group.uid }, role: { uid: role.uid } },
        "the response",
      );
    }),
  ),
  requirement(
    "4.4.hydrated-when-read",
    "References in role binding responses are hydrated, in Get and List too.",
    overBoth(async (world) => {
      const { group, binding } = await bound(world);
      equal(succeeded(await world.api.get("roleBindings", binding.uid)), binding, "the binding that Get returns");
      const outcome = await world.api.list("roleBindings", { uidp: { childrenOf: group.uid } });
      equal(resourcesOf(outcome, "roleBindings"), [binding], "roleBindings");
    }),
  ),
  requirement(
    "4.4.delete",
    "`DELETE /iam/v2beta1/roleBindings/<binding_uid>`: empty body.",
    overBoth("the binding no longer exists", async (world) => {
      const { binding } = await bound(world);
      isEmptyBody(succeeded(await world.api.delete("roleBindings", binding.uid), "deleting a binding"));
      rejected(await world.api.get("roleBindings", binding.uid), { code: 5 }, "reading it again");
    }),
    overBoth("the access that it gave has ended", async (world) => {
      const group = await world.makeGroup();
      const caller = await world.caller("viewer", group);
      succeeded(await caller.api.get("groups", group), "reading the group before the Delete");
      const [binding] = await world.list("roleBindings", { uidp: { childrenOf: group } });
      succeeded(await world.api.delete("roleBindings", binding?.uid ?? ""));
      rejected(await caller.api.get("groups", group), { code: 5 }, "reading the group after the Delete");
    }),
  ),
]);
