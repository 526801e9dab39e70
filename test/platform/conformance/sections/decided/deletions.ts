import { equal, rejected, succeeded, violationsOf } from "../../expect.ts";
import { decidedSection, overBoth, requirement, untested } from "../../requirement.ts";

/** What prevents a deletion, what is deleted with a resource, and repeated deletions. */
export const deletions = decidedSection("Deletions", [
  requirement(
    "deletions.not-empty-order",
    "Deleting a group with children of any type: 9, RESOURCE_NOT_EMPTY, `cannot delete group with child <kind>`, the first present of: repos, groups, identities, roles, role bindings, identity providers, account associations, group invites.",
    overBoth(async (world) => {
      const group = await world.makeGroup();
      const [identityUid, viewer] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
      const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
      // In reverse: the error names each new child instead of the earlier ones.
      const children = [
        ["group invites", "groupInvites", { roleUid: viewer, ttl: "600s" }],
        ["account associations", "accountAssociations", { name: "a" }],
        ["identity providers", "identityProviders", { name: "p", defaultRole: viewer, oidc }],
        ["role bindings", "roleBindings", { identityUid, roleUid: viewer }],
        ["roles", "roles", { name: "r", capabilities: ["CAP_REPO_LIST"] }],
        ["identities", "identities", { name: "i", claimMatch }],
        ["groups", "groups", { name: "g" }],
        ["repos", "repos", { name: "r" }],
      ] as const;
      for (const [kind, collection, body] of children) {
        const made = await world.api.create(collection, group, body);
        if (!made.ok && made.failure.code === 12) continue;
        succeeded(made, `a Create of ${collection}`);
        const error = { code: 9, violation: "RESOURCE_NOT_EMPTY" };
        const failure = rejected(await world.api.delete("groups", group), error, "deleting the group");
        const [violation] = violationsOf(failure, "PreconditionFailure");
        equal(violation?.description, `cannot delete group with child ${kind}`, "the description");
      }
    }),
  ),
  requirement(
    "deletions.role-in-use",
    "Deleting a role that is bound, used by an unexpired invite, or the default of a provider: 9, RESOURCE_IN_USE.",
    overBoth("a bound role", async (world) => {
      const role = await world.makeRole(["CAP_REPO_LIST"]);
      const binding = await world.bind(world.group, await world.makeIdentity(), role);
      rejected(
        await world.api.delete("roles", role),
        { code: 9, violation: "RESOURCE_IN_USE" },
        "deleting a bound role",
      );
      succeeded(await world.api.delete("roleBindings", binding));
      succeeded(await world.api.delete("roles", role), "deleting the role without bindings");
    }),
    overBoth("the role of an invite", async (world) => {
      const roleUid = await world.makeRole(["CAP_REPO_LIST"]);
      await world.make("groupInvites", world.group, { roleUid, ttl: "600s" });
      rejected(
        await world.api.delete("roles", roleUid),
        { code: 9, violation: "RESOURCE_IN_USE" },
        "deleting the role",
      );
    }),
    overBoth("the default role of a provider", async (world) => {
      const defaultRole = await world.makeRole(["CAP_REPO_LIST"]);
      const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
      const provider = await world.make("identityProviders", world.group, { name: "p", defaultRole, oidc });
      rejected(
        await world.api.delete("roles", defaultRole),
        { code: 9, violation: "RESOURCE_IN_USE" },
        "deleting the role",
      );
      const other = { defaultRole: await world.builtInRole("viewer") };
      succeeded(await world.api.update("identityProviders", provider.uid, other), "changing the default role");
      succeeded(await world.api.delete("roles", defaultRole), "deleting the unused role");
    }),
  ),
  requirement(
    "deletions.built-in-role",
    "Changing or deleting a built-in role: 7.",
    overBoth(async (world) => {
      const viewer = await world.builtInRole("viewer");
      rejected(await world.api.delete("roles", viewer), { code: 7 }, "a Delete");
      rejected(
        await world.api.update("roles", viewer, { description: "x" }, ["description"]),
        { code: 7 },
        "an Update",
      );
    }),
  ),
  requirement(
    "deletions.binding-deleted-again",
    "Deleting a role binding that was already deleted, or never existed, succeeds with `role_bindings.delete` on its parent.",
    overBoth("with the capability", async (world) => {
      const binding = await world.bind(world.group, await world.makeIdentity(), await world.builtInRole("viewer"));
      succeeded(await world.api.delete("roleBindings", binding), "the first Delete");
      succeeded(await world.api.delete("roleBindings", binding), "the second Delete");
      succeeded(
        await world.api.delete("roleBindings", `${world.group}/${"0".repeat(16)}`),
        "a Delete of a binding that never existed",
      );
      rejected(await world.api.delete("roleBindings", "nonsense"), { code: 5 }, "a Delete of a malformed uid");
    }),
    overBoth("without the capability", async (world) => {
      const { api } = await world.caller("viewer");
      const missing = `${world.group}/${"0".repeat(16)}`;
      rejected(await api.delete("roleBindings", missing), { code: 7 }, "by a caller that sees the group");
      const other = await world.makeGroup();
      const stranger = await world.caller("viewer", other);
      rejected(
        await stranger.api.delete("roleBindings", missing),
        { code: 5 },
        "by a caller that does not see the group",
      );
      const owner = await world.caller("owner", other);
      rejected(
        await owner.api.delete("roleBindings", other),
        { code: 5 },
        "the uid of a group instead, by an owner of that group alone",
      );
      await world.bind(world.group, owner.identity, await world.builtInRole("viewer"));
      rejected(await owner.api.delete("roleBindings", other), { code: 7 }, "by one who also sees the group above");
      await world.bind(world.group, owner.identity, await world.builtInRole("owner"));
      succeeded(await owner.api.delete("roleBindings", other), "by an owner of the group above");
      succeeded(await owner.api.get("groups", other), "a Get of the group afterwards");
    }),
    overBoth("without the capability, the error does not show whether the binding exists", async (world) => {
      const binding = await world.bind(world.group, await world.makeIdentity(), await world.builtInRole("viewer"));
      const missing = `${world.group}/${"0".repeat(16)}`;
      const other = await world.makeGroup();
      const callers = [
        await world.caller("viewer"),
        await world.caller(await world.makeRole(["CAP_IAM_GROUPS_LIST"])),
        await world.caller("viewer", other),
      ];
      for (const { api } of callers) {
        const [existing, absent] = [
          await api.delete("roleBindings", binding),
          await api.delete("roleBindings", missing),
        ];
        const errors = [existing, absent].map((outcome, index) =>
          JSON.stringify(outcome.ok ? outcome : outcome.failure).replaceAll([binding, missing][index] ?? "", "UID"),
        );
        equal(existing.ok, false, "whether the Delete succeeded");
        equal(errors[0], errors[1], "the error for a binding that exists");
      }
    }),
  ),
  requirement(
    "deletions.deleted-again",
    "A second Delete of any other resource is code 5.",
    overBoth(async (world) => {
      const made = {
        groups: await world.makeGroup(),
        identities: await world.makeIdentity(),
        roles: await world.makeRole(["CAP_REPO_LIST"]),
      };
      for (const [collection, uid] of Object.entries(made) as [keyof typeof made, string][]) {
        succeeded(await world.api.delete(collection, uid), "the first Delete");
        rejected(await world.api.delete(collection, uid), { code: 5 }, `the second Delete of one of ${collection}`);
      }
    }),
  ),
  requirement(
    "deletions.identity-and-bindings",
    "Deleting an identity deletes its bindings and needs only `identity.delete`.",
    overBoth(async (world) => {
      const identity = await world.makeIdentity();
      const elsewhere = await world.makeGroup();
      const viewer = await world.builtInRole("viewer");
      const bindings = [await world.bind(world.group, identity, viewer), await world.bind(elsewhere, identity, viewer)];
      const { api } = await world.caller(await world.makeRole(["CAP_IAM_IDENTITY_DELETE"]));
      succeeded(await api.delete("identities", identity), "deleting the identity with only identity.delete");
      for (const binding of bindings)
        rejected(await world.api.get("roleBindings", binding), { code: 5 }, "a Get of a binding afterwards");
    }),
  ),
  untested(
    "deletions.creator-binding",
    "The binding that was created with a root group is deleted with it.",
    "the suite creates no root group; covered by the tests of this project's platform",
  ),
]);
