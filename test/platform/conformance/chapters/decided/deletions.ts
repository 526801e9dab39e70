import { equal, refused, succeeded, violationsOf } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

/** What keeps a resource, what goes with it, and what a second DELETE answers. */
export const deletions: Chapter = {
  title: "Deletions",
  origin: "decided",
  sentences: [
    {
      id: "deletions.not-empty-order",
      says: "Deleting a group with children of any sort: 9, RESOURCE_NOT_EMPTY, `cannot delete group with child <kind>`, the first present of: repos, groups, identities, roles, role bindings, identity providers, account associations, group invites.",
      cases: [
        overBoth(async (world) => {
          const group = await world.makeGroup();
          const [identityUid, viewer] = [await world.makeIdentity(), await world.builtInRole("viewer")];
          const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
          const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
          // The last that is told first: each later one comes before it.
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
            succeeded(made, `making one of ${collection}`);
            const refusal = { code: 9, violation: "RESOURCE_NOT_EMPTY" };
            const failure = refused(await world.api.delete("groups", group), refusal, "deleting the group");
            const [violation] = violationsOf(failure, "PreconditionFailure");
            equal(violation?.description, `cannot delete group with child ${kind}`, "the description");
          }
        }),
      ],
    },
    {
      id: "deletions.role-in-use",
      says: "Deleting a role that is bound, named by an unexpired invite or a provider's default: 9, RESOURCE_IN_USE.",
      cases: [
        overBoth("bound", async (world) => {
          const role = await world.makeRole(["CAP_REPO_LIST"]);
          const binding = await world.bind(world.group, await world.makeIdentity(), role);
          refused(
            await world.api.delete("roles", role),
            { code: 9, violation: "RESOURCE_IN_USE" },
            "deleting a bound role",
          );
          succeeded(await world.api.delete("roleBindings", binding));
          succeeded(await world.api.delete("roles", role), "deleting it when its binding is gone");
        }),
        overBoth("named by an invite", async (world) => {
          const roleUid = await world.makeRole(["CAP_REPO_LIST"]);
          await world.make("groupInvites", world.group, { roleUid, ttl: "600s" });
          refused(
            await world.api.delete("roles", roleUid),
            { code: 9, violation: "RESOURCE_IN_USE" },
            "deleting the role",
          );
        }),
        overBoth("the default of a provider", async (world) => {
          const defaultRole = await world.makeRole(["CAP_REPO_LIST"]);
          const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
          await world.make("identityProviders", world.group, { name: "p", defaultRole, oidc });
          refused(
            await world.api.delete("roles", defaultRole),
            { code: 9, violation: "RESOURCE_IN_USE" },
            "deleting the role",
          );
        }),
      ],
    },
    {
      id: "deletions.built-in-role",
      says: "Changing or deleting a built-in role: 7.",
      cases: [
        overBoth(async (world) => {
          const viewer = await world.builtInRole("viewer");
          refused(await world.api.delete("roles", viewer), { code: 7 }, "a Delete");
          refused(
            await world.api.update("roles", viewer, { description: "x" }, ["description"]),
            { code: 7 },
            "an Update",
          );
        }),
      ],
    },
    {
      id: "deletions.binding-deleted-again",
      says: "A second DELETE of a role binding answers success, one that never was too, with `role_bindings.delete` on its parent.",
      cases: [
        overBoth("by whoever may", async (world) => {
          const binding = await world.bind(world.group, await world.makeIdentity(), await world.builtInRole("viewer"));
          succeeded(await world.api.delete("roleBindings", binding), "the first time");
          succeeded(await world.api.delete("roleBindings", binding), "the second time");
          succeeded(await world.api.delete("roleBindings", `${world.group}/${"0".repeat(16)}`), "one that never was");
        }),
        overBoth("by whoever may not", async (world) => {
          const { api } = await world.caller("viewer");
          const missing = `${world.group}/${"0".repeat(16)}`;
          refused(await api.delete("roleBindings", missing), { code: 7 }, "where it sees the group");
          const other = await world.makeGroup();
          const stranger = await world.caller("viewer", other);
          refused(await stranger.api.delete("roleBindings", missing), { code: 5 }, "where it does not");
        }),
      ],
    },
    {
      id: "deletions.deleted-again",
      says: "A second DELETE of any other resource is code 5.",
      cases: [
        overBoth(async (world) => {
          const made = {
            groups: await world.makeGroup(),
            identities: await world.makeIdentity(),
            roles: await world.makeRole(["CAP_REPO_LIST"]),
          };
          for (const [collection, uid] of Object.entries(made) as [keyof typeof made, string][]) {
            succeeded(await world.api.delete(collection, uid), "the first time");
            refused(await world.api.delete(collection, uid), { code: 5 }, `the second time, one of ${collection}`);
          }
        }),
      ],
    },
    {
      id: "deletions.identity-and-bindings",
      says: "Deleting an identity deletes its bindings and needs `identity.delete` alone.",
      cases: [
        overBoth(async (world) => {
          const identity = await world.makeIdentity();
          const elsewhere = await world.makeGroup();
          const viewer = await world.builtInRole("viewer");
          const bindings = [
            await world.bind(world.group, identity, viewer),
            await world.bind(elsewhere, identity, viewer),
          ];
          const { api } = await world.caller(await world.makeRole(["CAP_IAM_IDENTITY_DELETE"]));
          succeeded(await api.delete("identities", identity), "deleting it with that capability alone");
          for (const binding of bindings)
            refused(await world.api.get("roleBindings", binding), { code: 5 }, "reading a binding afterwards");
        }),
      ],
    },
    {
      id: "deletions.founding-binding",
      says: "The binding that was made with a root group goes with it.",
      untried: "it would need a root group of the suite's own; our own platform's tests make some",
    },
  ],
};
