import { batchCreate } from "../../client/iam-methods.ts";
import { equal, has, matches, rejected, succeeded } from "../../expect.ts";
import type { Api, Outcome } from "../../client/api.ts";
import { decidedSection, overBoth, requirement } from "../../requirement.ts";
import { StaticIssuer } from "#test/support/static-issuer.ts";
import type { World } from "../../world.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
const awsIdentity = { awsAccount: "123456789012", arn: "a", userId: "u" };
const denied = { code: 7, reason: "PERMISSION_DENIED" } as const;

/** The capabilities that the ways to grant access need, except the granted one. */
const bindingsAndRoles = [
  "groups.list",
  "role_bindings.create",
  "role_bindings.update",
  "roles.create",
  "roles.update",
];
const others = ["group_invites.create", "identity_providers.create", "identity_providers.update", "identity.update"];

/** Every way to grant the capability to delete repos, by its name. */
async function waysToGrant(world: World): Promise<Readonly<Record<string, (api: Api) => Promise<Outcome>>>> {
  const { group } = world;
  const capabilities = ["CAP_REPO_DELETE"];
  const [deleter, reader] = [await world.makeRole(capabilities), await world.makeRole(["CAP_IAM_GROUPS_LIST"])];
  const identityUid = await world.makeIdentity();
  const binding = await world.bind(group, await world.makeIdentity(), reader);
  const provider = await world.make("identityProviders", group, { name: "p", defaultRole: reader, oidc });
  const privileged = await world.makeIdentity();
  await world.bind(group, privileged, deleter);
  const invite = await world.make("groupInvites", group, { roleUid: deleter, ttl: "600s" });
  return {
    "a binding": (api) => api.create("roleBindings", group, { identityUid, roleUid: deleter }),
    "a new role in a binding": (api) => api.update("roleBindings", binding, { roleUid: deleter }),
    "an invite": (api) => api.create("groupInvites", group, { roleUid: deleter, ttl: "600s" }),
    "a new address in an invite": (api) => api.update("groupInvites", invite.uid, { email: "me@example.com" }),
    "a provider": (api) => api.create("identityProviders", group, { name: "q", defaultRole: deleter, oidc }),
    "a new role in a provider": (api) => api.update("identityProviders", provider.uid, { defaultRole: deleter }),
    "a role": (api) => api.create("roles", group, { name: world.name(), capabilities }),
    "a new capability in a role": (api) =>
      api.update("roles", reader, { capabilities: ["CAP_IAM_GROUPS_LIST", ...capabilities] }),
    "a change of how an identity is assumed": (api) => api.update("identities", privileged, { claimMatch }),
  };
}

/** Nobody can grant what they do not have. */
export const escalation = decidedSection("Privilege escalation: nobody can grant what they do not have", [
  requirement(
    "escalation.bind",
    "Creating a binding needs `role_bindings.create` in the group and every capability of the granted role, and the identity must be visible to the caller.",
    overBoth("the role's capabilities, and the identity's visibility", async (world) => {
      const [team, other] = [await world.makeGroup(), await world.makeGroup()];
      const [viewer, owner] = [await world.builtInRole("viewer"), await world.builtInRole("owner")];
      const identityUid = await world.makeIdentity(team);
      const limited = await world.caller("limited_owner", team);
      const bind = (roleUid: string, identity = identityUid, group = team) =>
        limited.api.create("roleBindings", group, { identityUid: identity, roleUid });
      succeeded(await bind(viewer), "granting a role that it has");
      rejected(await bind(owner), { code: 7 }, "granting capabilities that it does not have");
      rejected(
        await bind(viewer, await world.makeIdentity(other)),
        { code: 5 },
        "binding an identity that it cannot see",
      );
      rejected(await bind(viewer, identityUid, other), { code: 5 }, "binding in a group that it cannot see");
      const reader = await world.caller("viewer", team);
      const outcome = await reader.api.create("roleBindings", team, { identityUid, roleUid: viewer });
      rejected(outcome, { code: 7 }, "binding without role_bindings.create");
    }),
    overBoth("it reveals no identity, and its error no role, that the caller cannot Get", async (world) => {
      const capabilities = ["CAP_IAM_ROLE_BINDINGS_CREATE", "CAP_IAM_GROUPS_LIST"];
      const { api } = await world.caller(await world.makeRole(capabilities));
      const hidden = { issuer: "https://hidden.example.com", subject: "hidden subject" };
      const identity = await world.make("identities", world.group, {
        name: "hidden identity",
        claimMatch: hidden,
      });
      const role = (capability: string) =>
        world.make("roles", world.group, { name: `hidden role ${world.name()}`, capabilities: [capability] });
      const bind = async (roleUid: string) =>
        api.create("roleBindings", world.group, { identityUid: identity.uid, roleUid });
      const made = succeeded(await bind((await role("CAP_IAM_GROUPS_LIST")).uid), "a binding");
      equal(JSON.stringify(made).includes("hidden"), false, "whether the binding shows the identity or the role");
      has(made, { identity: { uid: identity.uid, name: "", issuer: "" } }, "the binding");
      const roleUid = (await role("CAP_IAM_GROUPS_LIST")).uid;
      const requests = [{ roleBinding: { identityUid: identity.uid, roleUid } }];
      const batch = succeeded(await api.call(batchCreate, { parent: world.group, requests }), "a batch");
      equal(JSON.stringify(batch).includes("hidden"), false, "whether a batch shows the identity or the role");
      const below = await world.makeGroup();
      const seen = await world.make("roleBindings", below, { identityUid: identity.uid, roleUid });
      has(seen, { identity: { name: "hidden identity" } }, "the same binding, by a caller that can Get both");
      matches((seen["role"] as { name: unknown }).name, /^hidden role/, "the name of its role");
      const failure = rejected(await bind((await role("CAP_REPO_DELETE")).uid), { code: 7 }, "another role");
      equal(/hidden|repo\.delete/.test(JSON.stringify(failure)), false, "whether the error shows the role");
    }),
    overBoth("capabilities in another group do not count", async (world) => {
      const [own, team] = [await world.makeGroup(), await world.makeGroup()];
      const { api, identity } = await world.caller("owner", own);
      await world.bind(team, identity, await world.builtInRole("limited_owner"));
      const body = { identityUid: await world.makeIdentity(team), roleUid: await world.builtInRole("owner") };
      rejected(
        await api.create("roleBindings", team, body),
        denied,
        "granting owner in a group where it has fewer capabilities",
      );
      succeeded(await api.create("roleBindings", own, body), "granting owner in a group where it is owner");
      const roleUid = await world.makeRole(["CAP_IAM_GROUPS_LIST"]);
      await world.bind(world.group, identity, await world.makeRole(["CAP_IAM_ROLES_LIST"]));
      succeeded(
        await api.create("roleBindings", own, { ...body, roleUid }),
        "granting a role of a group where it does not have its capabilities, below, where it does",
      );
    }),
  ),
  requirement(
    "escalation.change-binding",
    "Changing a binding needs `role_bindings.update` and every capability of the granted role, and the identity must be visible to the caller.",
    overBoth("another identity", async (world) => {
      const [team, other] = [await world.makeGroup(), await world.makeGroup()];
      const viewer = await world.builtInRole("viewer");
      const binding = await world.bind(team, await world.makeIdentity(team), viewer);
      const { api } = await world.caller("owner", team);
      const update = async (group: string) =>
        api.update("roleBindings", binding, { identityUid: await world.makeIdentity(group) });
      rejected(await update(other), { code: 5 }, "binding an identity that it cannot see");
      succeeded(await update(team), "binding an identity that it can see");
    }),
    overBoth("another role", async (world) => {
      const capabilities = ["CAP_IAM_ROLE_BINDINGS_UPDATE", "CAP_IAM_ROLE_BINDINGS_LIST", "CAP_IAM_IDENTITY_LIST"];
      const own = await world.makeRole(capabilities);
      const { api } = await world.caller(own);
      const binding = await world.bind(world.group, await world.makeIdentity(), await world.builtInRole("viewer"));
      const update = async (roleUid: string) => api.update("roleBindings", binding, { roleUid });
      rejected(
        await update(await world.builtInRole("owner")),
        { code: 7 },
        "granting capabilities that it does not have",
      );
      succeeded(await update(own), "granting a role that it has");
      const owner = await world.builtInRole("owner");
      succeeded(await world.api.update("roleBindings", binding, { roleUid: owner }), "an update by the admin");
      const moved = await api.update("roleBindings", binding, { identityUid: await world.makeIdentity() });
      rejected(moved, { code: 7 }, "granting the binding's role to another identity");
    }),
  ),
  requirement(
    "escalation.change-role",
    "Creating or changing a role needs every capability that it gains.",
    overBoth(async (world) => {
      const mine = ["CAP_IAM_ROLES_CREATE", "CAP_IAM_ROLES_UPDATE", "CAP_REPO_LIST"];
      const { api } = await world.caller(await world.makeRole(mine));
      const make = (capabilities: readonly string[]) =>
        api.create("roles", world.group, { name: world.name(), capabilities });
      rejected(
        await make(["CAP_REPO_LIST", "CAP_REPO_DELETE"]),
        { code: 7 },
        "a role with a capability that it does not have",
      );
      const { uid } = succeeded(await make(["CAP_REPO_LIST"]), "a role with a capability that it has");
      const more = await api.update("roles", uid, { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] });
      rejected(more, { code: 7 }, "adding a capability that it does not have");
      const owners = await world.makeRole(["CAP_REPO_DELETE"]);
      succeeded(await api.update("roles", owners, { description: "d" }), "an update of the description");
    }),
  ),
  requirement(
    "escalation.change-assumption",
    "Changing how an identity is assumed needs every capability that its bindings grant it, in the groups where they grant it.",
    overBoth("another subject", async (world) => {
      const [team, other] = [await world.makeGroup(), await world.makeGroup()];
      const identity = (await world.make("identities", team, { name: "a", claimMatch })).uid;
      await world.bind(other, identity, await world.builtInRole("viewer"));
      const { api } = await world.caller("owner", team);
      const body = { claimMatch: { ...claimMatch, subject: "me" } };
      rejected(await api.update("identities", identity, body, ["claim_match"]), { code: 7 }, "a change of the subject");
      succeeded(await api.update("identities", identity, { description: "d" }), "a change of the description");
      const same = await api.update("identities", identity, { claimMatch }, ["claim_match"]);
      succeeded(same, "an update with the current claimMatch");
      const insider = await world.caller("owner");
      succeeded(
        await insider.api.update("identities", identity, body, ["claim_match"]),
        "a change of the subject by an owner of both groups",
      );
    }),
    overBoth("other ways to assume it", async (world) => {
      const identity = await world.makeIdentity();
      await world.bind(world.group, identity, await world.builtInRole("owner"));
      const { api } = await world.caller(await world.makeRole(["CAP_IAM_IDENTITY_UPDATE"]));
      const issuerKeys = await world.issuer.keys();
      const staticKeys = { issuer: world.issuer.issuer, subject: "s", issuerKeys, audiences: ["a"] };
      for (const body of [{ staticKeys }, { awsIdentity }, { claimMatch: { ...claimMatch, audience: "a" } }])
        rejected(await api.update("identities", identity, body), denied, `a change to ${Object.keys(body).join()}`);
      succeeded(
        await api.update("identities", await world.makeIdentity(), { awsIdentity }),
        "a change of an identity without bindings",
      );
    }),
    overBoth("more keys and a later expiry, although they end no token", async (world) => {
      const { uid } = await world.makeAssumable();
      await world.bind(world.group, uid, await world.builtInRole("owner"));
      const { api } = await world.caller(await world.makeRole(["CAP_IAM_IDENTITY_UPDATE", "CAP_IAM_IDENTITY_LIST"]));
      const keysOf = async (issuer: StaticIssuer) => (JSON.parse(await issuer.keys()) as { keys: object[] }).keys;
      const keys = [...(await keysOf(world.issuer)), { ...(await keysOf(new StaticIssuer()))[0], kid: "2" }];
      const later = new Date(Date.now() + 364 * 24 * 3_600_000).toISOString();
      for (const staticKeys of [{ issuerKeys: JSON.stringify({ keys }) }, { expirationTime: later }])
        rejected(
          await api.update("identities", uid, { staticKeys }),
          denied,
          `a change of ${Object.keys(staticKeys).join()}`,
        );
      succeeded(await api.update("identities", uid, { description: "d" }), "a change of the description");
    }),
  ),
  requirement(
    "escalation.invite-and-provider",
    "Creating an invite, and creating or changing a provider, also need `role_bindings.create` and every capability of the role.",
    overBoth(async (world) => {
      const [viewer, owner] = [await world.builtInRole("viewer"), await world.builtInRole("owner")];
      const writes = ["CAP_IAM_GROUP_INVITES_CREATE", "CAP_IAM_IDENTITY_PROVIDERS_CREATE"];
      const lists = succeeded(await world.api.get("roles", viewer))["capabilities"] as readonly string[];
      const without = await world.caller(await world.makeRole([...lists, ...writes]));
      const withIt = await world.caller(await world.makeRole([...lists, ...writes, "CAP_IAM_ROLE_BINDINGS_CREATE"]));
      const grants = [
        ["groupInvites", (role: string) => ({ roleUid: role, ttl: "600s" })],
        ["identityProviders", (role: string) => ({ name: world.name(), defaultRole: role, oidc })],
      ] as const;
      for (const [collection, body] of grants) {
        rejected(
          await without.api.create(collection, world.group, body(viewer)),
          { code: 7 },
          `a Create of ${collection} without role_bindings.create`,
        );
        rejected(
          await withIt.api.create(collection, world.group, body(owner)),
          { code: 7 },
          `a Create of ${collection} with a role that it does not have`,
        );
        succeeded(
          await withIt.api.create(collection, world.group, body(viewer)),
          `a Create of ${collection} with a role that it has`,
        );
      }
    }),
  ),
  requirement(
    "escalation.custom-role-subtree",
    "A custom role can be bound only in its own group's subtree.",
    overBoth("a new binding", async (world) => {
      const [team, other] = [await world.makeGroup(), await world.makeGroup()];
      const inner = await world.makeGroup(team);
      const roleUid = await world.makeRole(["CAP_REPO_LIST"], team);
      const identityUid = await world.makeIdentity();
      const bind = (group: string) => world.api.create("roleBindings", group, { identityUid, roleUid });
      for (const group of [team, inner]) succeeded(await bind(group), "binding it in its group or below");
      for (const group of [other, world.group])
        rejected(await bind(group), { code: 3, field: "roleUid" }, "binding it in a sibling of its group or above");
    }),
    overBoth("other ways to grant it", async (world) => {
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
      for (const [what, outcome] of Object.entries(outcomes)) {
        const field = what.endsWith("provider") ? "defaultRole" : "roleUid";
        rejected(outcome, { code: 3, field }, what);
      }
    }),
  ),
  requirement(
    "escalation.every-way",
    "Every way to grant a capability needs that capability: creating or changing a binding, invite, provider or role, and changing how an identity is assumed.",
    overBoth(async (world) => {
      const role = succeeded(await world.api.get("roles", await world.builtInRole("owner")));
      const all = role["capabilities"] as readonly string[];
      const without = await world.caller(
        await world.makeRole(all.filter((capability) => capability !== "CAP_REPO_DELETE")),
      );
      const owner = await world.caller("owner");
      for (const [what, way] of Object.entries(await waysToGrant(world))) {
        rejected(await way(without.api), denied, `${what}, without the granted capability`);
        succeeded(await way(owner.api), `${what}, with the granted capability`);
      }
    }),
  ),
  requirement(
    "escalation.downscoped",
    "All of these checks use the permissions that the token was downscoped to.",
    overBoth("to capabilities", async (world) => {
      const without = await world.caller("owner", world.group, { cap: [...bindingsAndRoles, ...others] });
      const including = await world.caller("owner", world.group, {
        cap: [...bindingsAndRoles, ...others, "repo.delete"],
      });
      for (const [what, way] of Object.entries(await waysToGrant(world))) {
        rejected(await way(without.api), denied, `${what}, with a token without the granted capability`);
        succeeded(await way(including.api), `${what}, with a token that has the granted capability`);
      }
    }),
    overBoth("to groups", async (world) => {
      const [team, other] = [await world.makeGroup(), await world.makeGroup()];
      const identity = await world.makeIdentity(team);
      await world.bind(other, identity, await world.builtInRole("viewer"));
      const downscoped = await world.caller("owner", world.group, { scope: team });
      const change = { claimMatch };
      rejected(
        await downscoped.api.update("identities", identity, change),
        denied,
        "a change of an identity with bindings outside of the token's groups",
      );
      const owner = await world.caller("owner");
      succeeded(await owner.api.update("identities", identity, change), "the same change with a token for all groups");
    }),
  ),
]);
