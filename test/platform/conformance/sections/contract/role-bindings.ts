import { equal, has, holds, isEmptyBody, matches, rejected, resourcesOf, succeeded } from "../../expect.ts";
import { type Section, overBoth } from "../../requirement.ts";
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
export const roleBindings: Section = {
  title: "4.4 Role bindings",
  origin: "contract",
  requirements: [
    {
      id: "2.role-binding.binds",
      text: "A role binding binds one identity to one role within a group.",
      cases: [
        overBoth(async (world) => {
          const { api } = await world.caller("viewer");
          succeeded(await api.get("groups", world.group), "reading the group in which the identity is bound");
        }),
      ],
    },
    {
      id: "2.role-binding.identity",
      text: "`identity` is hydrated: `uid`, `name`, `description`, `subject`, `issuer`.",
      cases: [
        overBoth(async (world) => {
          const { identity, binding } = await bound(world);
          const expected = { uid: identity.uid, name: "identity", description: "bound", ...claimMatch };
          has(binding["identity"], expected, "identity");
        }),
      ],
    },
    {
      id: "2.role-binding.group",
      text: "`group` is hydrated: `uid`, `name`, `description`.",
      cases: [
        overBoth(async (world) => {
          const { group, binding } = await bound(world);
          has(binding["group"], { uid: group.uid, name: "group", description: "of a binding" }, "group");
        }),
      ],
    },
    {
      id: "2.role-binding.role",
      text: "`role` is hydrated: `uid`, `name`, `description`.",
      cases: [
        overBoth(async (world) => {
          const { role, binding } = await bound(world);
          has(binding["role"], { uid: role.uid, name: role.name, description: role.description }, "role");
        }),
      ],
    },
    {
      id: "2.role-binding.create-time",
      text: "A role binding has `createTime`.",
      cases: [
        overBoth(async (world) => matches((await bound(world)).binding.createTime, /^\d{4}-\d\d-\d\dT/, "createTime")),
      ],
    },
    {
      id: "2.role-binding.required",
      text: "Create request fields: `identityUid` (string, required), `roleUid` (string, required).",
      cases: [
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
      ],
    },
    {
      id: "4.4.create",
      text: "`POST /iam/v2beta1/roleBindings/<group_uid>`: the group is in the path; returns the binding with hydrated `identity`, `group` and `role` objects.",
      cases: [
        overBoth(async (world) => {
          const { group, identity, role, binding } = await bound(world);
          holds(binding.uid.startsWith(`${group.uid}/`), "its uid", `one in ${group.uid}`, binding.uid);
          has(
            binding,
            { identity: { uid: identity.uid }, group: { uid: group.uid }, role: { uid: role.uid } },
            "the response",
          );
        }),
      ],
    },
    {
      id: "4.4.hydrated-when-read",
      text: "References in role binding responses are hydrated, in Get and List too.",
      cases: [
        overBoth(async (world) => {
          const { group, binding } = await bound(world);
          equal(succeeded(await world.api.get("roleBindings", binding.uid)), binding, "the binding that Get returns");
          const outcome = await world.api.list("roleBindings", { uidp: { childrenOf: group.uid } });
          equal(resourcesOf(outcome, "roleBindings"), [binding], "roleBindings");
        }),
      ],
    },
    {
      id: "4.4.delete",
      text: "`DELETE /iam/v2beta1/roleBindings/<binding_uid>`: empty body.",
      cases: [
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
      ],
    },
  ],
};
