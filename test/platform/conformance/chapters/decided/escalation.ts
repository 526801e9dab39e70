import { refused, succeeded } from "../../expect.ts";
import type { Api, Outcome } from "../../client/api.ts";
import { type Chapter, overBoth } from "../../sentence.ts";
import type { World } from "../../world.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
const awsIdentity = { awsAccount: "123456789012", arn: "a", userId: "u" };
const denied = { code: 7, reason: "PERMISSION_DENIED" } as const;

/** All that is needed to give something away, and one thing that can be given. */
const giving = ["groups.list", "role_bindings.create", "role_bindings.update", "roles.create", "roles.update"];
const others = ["group_invites.create", "identity_providers.create", "identity_providers.update", "identity.update"];

/** Every way of giving the right to delete repos away, by its name. */
async function ways(world: World): Promise<Readonly<Record<string, (api: Api) => Promise<Outcome>>>> {
  const { group } = world;
  const capabilities = ["CAP_REPO_DELETE"];
  const [deleter, reader] = [await world.makeRole(capabilities), await world.makeRole(["CAP_IAM_GROUPS_LIST"])];
  const identityUid = await world.makeIdentity();
  const binding = await world.bind(group, await world.makeIdentity(), reader);
  const provider = await world.make("identityProviders", group, { name: "p", defaultRole: reader, oidc });
  const privileged = await world.makeIdentity();
  await world.bind(group, privileged, deleter);
  return {
    "a binding": (api) => api.create("roleBindings", group, { identityUid, roleUid: deleter }),
    "another role of a binding": (api) => api.update("roleBindings", binding, { roleUid: deleter }),
    "an invite": (api) => api.create("groupInvites", group, { roleUid: deleter, ttl: "600s" }),
    "a provider": (api) => api.create("identityProviders", group, { name: "q", defaultRole: deleter, oidc }),
    "another role of a provider": (api) => api.update("identityProviders", provider.uid, { defaultRole: deleter }),
    "a role": (api) => api.create("roles", group, { name: world.name(), capabilities }),
    "more of a role": (api) => api.update("roles", reader, { capabilities: ["CAP_IAM_GROUPS_LIST", ...capabilities] }),
    "another way to assume an identity": (api) => api.update("identities", privileged, { claimMatch }),
  };
}

/** Nobody can give what they do not have. */
export const escalation: Chapter = {
  title: "Nobody can give what they do not have",
  origin: "decided",
  sentences: [
    {
      id: "escalation.bind",
      says: "Creating a binding needs `role_bindings.create` in the group, every capability of the role that is granted, and that the identity is visible to the caller.",
      cases: [
        overBoth("what it has, to whom it sees", async (world) => {
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
        overBoth("what it has elsewhere does not count", async (world) => {
          const [own, team] = [await world.makeGroup(), await world.makeGroup()];
          const { api, identity } = await world.caller("owner", own);
          await world.bind(team, identity, await world.builtInRole("limited_owner"));
          const body = { identityUid: await world.makeIdentity(team), roleUid: await world.builtInRole("owner") };
          refused(await api.create("roleBindings", team, body), denied, "binding where it has less");
          succeeded(await api.create("roleBindings", own, body), "binding where it has all of it");
        }),
      ],
    },
    {
      id: "escalation.change-binding",
      says: "Changing a binding needs `role_bindings.update`, every capability of the role that is granted, and that the identity is visible to the caller.",
      cases: [
        overBoth("to another identity", async (world) => {
          const [team, other] = [await world.makeGroup(), await world.makeGroup()];
          const viewer = await world.builtInRole("viewer");
          const binding = await world.bind(team, await world.makeIdentity(team), viewer);
          const { api } = await world.caller("owner", team);
          const update = async (group: string) =>
            api.update("roleBindings", binding, { identityUid: await world.makeIdentity(group) });
          refused(await update(other), { code: 5 }, "binding an identity that it does not see");
          succeeded(await update(team), "binding an identity that it sees");
        }),
        overBoth("to another role", async (world) => {
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
        overBoth("another subject", async (world) => {
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
        overBoth("to any other way", async (world) => {
          const identity = await world.makeIdentity();
          await world.bind(world.group, identity, await world.builtInRole("owner"));
          const { api } = await world.caller(await world.makeRole(["CAP_IAM_IDENTITY_UPDATE"]));
          const issuerKeys = await world.issuer.keys();
          const staticKeys = { issuer: world.issuer.issuer, subject: "s", issuerKeys, audiences: ["a"] };
          for (const body of [{ staticKeys }, { awsIdentity }, { claimMatch: { ...claimMatch, audience: "a" } }])
            refused(await api.update("identities", identity, body), denied, `a change to ${Object.keys(body).join()}`);
          succeeded(
            await api.update("identities", await world.makeIdentity(), { awsIdentity }),
            "of one without rights",
          );
        }),
      ],
    },
    {
      id: "escalation.invite-and-provider",
      says: "Creating an invite, and creating or changing a provider, need `role_bindings.create` too, and every capability of the role.",
      cases: [
        overBoth(async (world) => {
          const [viewer, owner] = [await world.builtInRole("viewer"), await world.builtInRole("owner")];
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
        overBoth("by a new binding", async (world) => {
          const [team, other] = [await world.makeGroup(), await world.makeGroup()];
          const inner = await world.makeGroup(team);
          const roleUid = await world.makeRole(["CAP_REPO_LIST"], team);
          const identityUid = await world.makeIdentity();
          const bind = (group: string) => world.api.create("roleBindings", group, { identityUid, roleUid });
          for (const group of [team, inner]) succeeded(await bind(group), "binding it in its group, or below");
          for (const group of [other, world.group])
            refused(await bind(group), { code: 3, field: "roleUid" }, "binding it beside its group, or above");
        }),
        overBoth("by another way than a new binding", async (world) => {
          const { api, group } = world;
          const role = await world.makeRole(["CAP_REPO_LIST"], await world.makeGroup());
          const viewer = await world.builtInRole("viewer");
          const binding = await world.bind(group, await world.makeIdentity(), viewer);
          const provider = await world.make("identityProviders", group, { name: "p", defaultRole: viewer, oidc });
          const outcomes = {
            "a changed binding": await api.update("roleBindings", binding, { roleUid: role }),
            "an invite": await api.create("groupInvites", group, { roleUid: role, ttl: "600s" }),
            "a provider": await api.create("identityProviders", group, { name: "q", defaultRole: role, oidc }),
            "a changed provider": await api.update("identityProviders", provider.uid, { defaultRole: role }),
          };
          for (const [what, outcome] of Object.entries(outcomes)) refused(outcome, { code: 3 }, what);
        }),
      ],
    },
    {
      id: "escalation.every-way",
      says: "Every way to give something needs it: by binding, invite, provider, role or change of an identity, also where another one changes it.",
      cases: [
        overBoth(async (world) => {
          const owner = succeeded(await world.api.get("roles", await world.builtInRole("owner")));
          const all = owner["capabilities"] as readonly string[];
          const less = await world.caller(await world.makeRole(all.filter((one) => one !== "CAP_REPO_DELETE")));
          const whole = await world.caller("owner");
          for (const [what, way] of Object.entries(await ways(world))) {
            refused(await way(less.api), denied, `${what}, by one who lacks what it gives`);
            succeeded(await way(whole.api), `${what}, by one who has it`);
          }
        }),
      ],
    },
    {
      id: "escalation.narrowed",
      says: "All of this is judged with the rights that the token was narrowed to.",
      cases: [
        overBoth("to capabilities", async (world) => {
          const less = await world.caller("owner", world.group, { cap: [...giving, ...others] });
          const enough = await world.caller("owner", world.group, { cap: [...giving, ...others, "repo.delete"] });
          for (const [what, way] of Object.entries(await ways(world))) {
            refused(await way(less.api), denied, `${what}, with a token that lacks what it gives`);
            succeeded(await way(enough.api), `${what}, with a token that has it`);
          }
        }),
        overBoth("to groups", async (world) => {
          const [team, other] = [await world.makeGroup(), await world.makeGroup()];
          const identity = await world.makeIdentity(team);
          await world.bind(other, identity, await world.builtInRole("viewer"));
          const narrowed = await world.caller("owner", world.group, { scope: team });
          const change = { claimMatch };
          refused(
            await narrowed.api.update("identities", identity, change),
            denied,
            "a change of what holds elsewhere",
          );
          const whole = await world.caller("owner");
          succeeded(await whole.api.update("identities", identity, change), "by a token that holds there");
        }),
      ],
    },
  ],
};
