import { refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

/** Nobody can give what they do not have. */
export const escalation: Chapter = {
  title: "Nobody can give what they do not have",
  origin: "decided",
  sentences: [
    {
      id: "escalation.bind",
      says: "Creating a binding needs `role_bindings.create` in the group, every capability of the role that is granted, and that the identity is visible to the caller.",
      cases: [
        overBoth(async (world) => {
          const [team, other] = [await world.makeGroup(), await world.makeGroup()];
          const [viewer, owner] = [await world.builtInRole("viewer"), await world.builtInRole("owner")];
          const identityUid = await world.makeIdentity(team);
          const limited = await world.caller("limited_owner", team);
          const bind = (roleUid: string, identity = identityUid, group = team) =>
            limited.api.create("roleBindings", group, { identityUid: identity, roleUid });
          succeeded(await bind(viewer), "binding what it has itself");
          refused(await bind(owner), { code: 7 }, "binding more than it has itself");
          refused(
            await bind(viewer, await world.makeIdentity(other)),
            { code: 5 },
            "binding an identity that it does not see",
          );
          refused(await bind(viewer, identityUid, other), { code: 5 }, "binding in a group that it does not see");
          const seer = await world.caller("viewer", team);
          const outcome = await seer.api.create("roleBindings", team, { identityUid, roleUid: viewer });
          refused(outcome, { code: 7 }, "binding without role_bindings.create");
        }),
      ],
    },
    {
      id: "escalation.change-binding",
      says: "Changing a binding needs `role_bindings.update` and every capability of the role that is granted.",
      cases: [
        overBoth(async (world) => {
          const capabilities = ["CAP_IAM_ROLE_BINDINGS_UPDATE", "CAP_IAM_ROLE_BINDINGS_LIST", "CAP_IAM_IDENTITY_LIST"];
          const mine = await world.makeRole(capabilities);
          const { api } = await world.caller(mine);
          const binding = await world.bind(world.group, await world.makeIdentity(), await world.builtInRole("viewer"));
          const update = async (roleUid: string) => api.update("roleBindings", binding, { roleUid });
          refused(await update(await world.builtInRole("owner")), { code: 7 }, "granting more than it has itself");
          succeeded(await update(mine), "granting what it has itself");
        }),
      ],
    },
    {
      id: "escalation.change-role",
      says: "Creating or changing a role needs every capability that it gains.",
      cases: [
        overBoth(async (world) => {
          const mine = ["CAP_IAM_ROLES_CREATE", "CAP_IAM_ROLES_UPDATE", "CAP_REPO_LIST"];
          const { api } = await world.caller(await world.makeRole(mine));
          const make = (capabilities: readonly string[]) =>
            api.create("roles", world.group, { name: world.name(), capabilities });
          refused(await make(["CAP_REPO_LIST", "CAP_REPO_DELETE"]), { code: 7 }, "a role with more than it has itself");
          const { uid } = succeeded(await make(["CAP_REPO_LIST"]), "a role with what it has itself");
          const more = await api.update("roles", uid, { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] });
          refused(more, { code: 7 }, "giving a role more than it has itself");
          const owners = await world.makeRole(["CAP_REPO_DELETE"]);
          succeeded(await api.update("roles", owners, { description: "d" }), "changing what gains nothing");
        }),
      ],
    },
    {
      id: "escalation.change-assumption",
      says: "Changing how an identity is assumed needs every capability that its bindings give it, where they give it.",
      cases: [
        overBoth(async (world) => {
          const [team, other] = [await world.makeGroup(), await world.makeGroup()];
          const identity = (await world.make("identities", team, { name: "a", claimMatch })).uid;
          await world.bind(other, identity, await world.builtInRole("viewer"));
          const { api } = await world.caller("owner", team);
          const body = { claimMatch: { ...claimMatch, subject: "me" } };
          refused(
            await api.update("identities", identity, body, ["claim_match"]),
            { code: 7 },
            "a change of its subject",
          );
          succeeded(await api.update("identities", identity, { description: "d" }), "a change of its description");
          const insider = await world.caller("owner");
          succeeded(await insider.api.update("identities", identity, body, ["claim_match"]), "by one who has it all");
        }),
      ],
    },
    {
      id: "escalation.invite-and-provider",
      says: "Creating an invite, and creating or changing a provider, need `role_bindings.create` too, and every capability of the role.",
      cases: [
        overBoth(async (world) => {
          const [viewer, owner] = [await world.builtInRole("viewer"), await world.builtInRole("owner")];
          const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
          const writes = ["CAP_IAM_GROUP_INVITES_CREATE", "CAP_IAM_IDENTITY_PROVIDERS_CREATE"];
          const lists = succeeded(await world.api.get("roles", viewer))["capabilities"] as readonly string[];
          const without = await world.caller(await world.makeRole([...lists, ...writes]));
          const withIt = await world.caller(
            await world.makeRole([...lists, ...writes, "CAP_IAM_ROLE_BINDINGS_CREATE"]),
          );
          const kinds = [
            ["groupInvites", (role: string) => ({ roleUid: role, ttl: "600s" })],
            ["identityProviders", (role: string) => ({ name: world.name(), defaultRole: role, oidc })],
          ] as const;
          for (const [collection, body] of kinds) {
            refused(
              await without.api.create(collection, world.group, body(viewer)),
              { code: 7 },
              `one of ${collection} without role_bindings.create`,
            );
            refused(
              await withIt.api.create(collection, world.group, body(owner)),
              { code: 7 },
              `one of ${collection} with more than it has itself`,
            );
            succeeded(
              await withIt.api.create(collection, world.group, body(viewer)),
              `one of ${collection} with what it has itself`,
            );
          }
        }),
      ],
    },
    {
      id: "escalation.custom-role-subtree",
      says: "A custom role binds in its own group's subtree only.",
      cases: [
        overBoth(async (world) => {
          const [team, other] = [await world.makeGroup(), await world.makeGroup()];
          const inner = await world.makeGroup(team);
          const roleUid = await world.makeRole(["CAP_REPO_LIST"], team);
          const identityUid = await world.makeIdentity();
          const bind = (group: string) => world.api.create("roleBindings", group, { identityUid, roleUid });
          for (const group of [team, inner]) succeeded(await bind(group), "binding it in its group, or below");
          for (const group of [other, world.group])
            refused(await bind(group), { code: 3, field: "roleUid" }, "binding it beside its group, or above");
        }),
      ],
    },
  ],
};
