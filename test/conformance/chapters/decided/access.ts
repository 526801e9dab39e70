import type { Query } from "../../client/api.ts";
import { equal, has, refused, rowsOf, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

/** Some of what built-in roles have, and have not. */
const builtIn = {
  viewer: { may: ["CAP_IAM_GROUPS_LIST", "CAP_ADVISORIES_LIST"], mayNot: ["CAP_REPO_CREATE"] },
  editor: {
    may: ["CAP_REPO_CREATE", "CAP_REPO_UPDATE", "CAP_REPO_DELETE"],
    mayNot: ["CAP_TAG_CREATE", "CAP_IAM_GROUPS_CREATE"],
  },
  owner: { may: ["CAP_IAM_GROUPS_DELETE", "CAP_IAM_ROLE_BINDINGS_CREATE"], mayNot: [] },
  limited_owner: { may: ["CAP_IAM_IDENTITY_CREATE", "CAP_IAM_ROLE_BINDINGS_CREATE"], mayNot: ["CAP_REPO_CREATE"] },
  "registry.pull": { may: ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"], mayNot: ["CAP_IAM_ROLES_LIST"] },
  "registry.push": { may: ["CAP_REPO_CREATE", "CAP_TAG_CREATE", "CAP_TAG_DELETE"], mayNot: ["CAP_IAM_IDENTITY_LIST"] },
} as const;

/** What a caller may see and do. */
export const access: Chapter = {
  title: "Access",
  origin: "decided",
  sentences: [
    {
      id: "access.list-and-get",
      says: "List and Get need the resource's `.list`.",
      cases: [
        overBoth(async (world) => {
          const identity = await world.makeIdentity();
          const { api } = await world.caller(await world.makeRole(["CAP_IAM_GROUPS_LIST"]));
          succeeded(await api.get("groups", world.group), "a Get of a group with groups.list");
          refused(await api.get("identities", identity), { code: 7 }, "a Get of an identity without identity.list");
          const both = await world.caller(await world.makeRole(["CAP_IAM_IDENTITY_LIST"]));
          succeeded(await both.api.get("identities", identity), "a Get of an identity with identity.list");
        }),
      ],
    },
    {
      id: "access.inherited",
      says: "A binding holds in its group and in every group below it.",
      cases: [
        overBoth(async (world) => {
          const bound = await world.makeGroup();
          const child = await world.makeGroup(bound);
          const deep = await world.makeGroup(child);
          const beside = await world.makeGroup();
          const { api } = await world.caller("viewer", bound);
          for (const uid of [bound, child, deep])
            succeeded(await api.get("groups", uid), "a Get in the group or below it");
          for (const uid of [world.group, beside])
            refused(await api.get("groups", uid), { code: 5 }, "a Get above or beside it");
        }),
      ],
    },
    {
      id: "access.empty-list",
      says: "A List without the right anywhere is an empty list, not an error.",
      cases: [
        overBoth(async (world) => {
          await world.makeIdentity();
          const { api } = await world.caller("registry.pull");
          const page = succeeded(await api.list("identities"), "a List of identities without identity.list");
          has(page, { identities: [], totalCount: "0" }, "the page");
        }),
      ],
    },
    {
      id: "access.cut-list",
      says: "A List is cut down to what the token covers.",
      cases: [
        overBoth(async (world) => {
          const [seen, hidden] = [await world.makeGroup(), await world.makeGroup()];
          const child = await world.makeGroup(seen);
          await world.makeGroup(hidden);
          const { api } = await world.caller("viewer", seen);
          const uids = async (query: Query) => rowsOf(await api.list("groups", query), "groups").map(({ uid }) => uid);
          equal(await uids({}), [seen, child], "all that it sees");
          equal(await uids({ uidp: { descendantsOf: world.group } }), [seen, child], "what it sees below the group");
          equal(await uids({ uidp: { childrenOf: hidden } }), [], "what it sees in a hidden group");
          equal(await uids({ uidp: { ids: [hidden] } }), [], "a hidden group by its uid");
        }),
      ],
    },
    {
      id: "access.roles",
      says: "Built-in roles can be read by every caller, custom ones with `roles.list`.",
      cases: [
        overBoth(async (world) => {
          const custom = await world.makeRole(["CAP_REPO_LIST"]);
          const { api } = await world.caller("registry.pull");
          const viewer = await world.builtInRole("viewer");
          succeeded(await api.get("roles", viewer), "a Get of a built-in role without roles.list");
          const names = rowsOf(await api.list("roles"), "roles").map(({ name }) => name);
          equal(names.includes("viewer"), true, "whether viewer is in the List of roles");
          refused(await api.get("roles", custom), { code: 7 }, "a Get of a custom role without roles.list");
          const seer = await world.caller("viewer");
          succeeded(await seer.api.get("roles", custom), "a Get of a custom role with roles.list");
        }),
      ],
    },
    {
      id: "access.built-in-roles",
      says: "viewer: every `.list`; editor: viewer and `repo.*` writes; owner: everything; limited_owner: viewer, `identity.create`, `role_bindings.create`; registry.pull: `groups.list`, `repo.list`, `tag.list`; registry.push: registry.pull, repo and tag writes.",
      cases: [
        overBoth(async (world) => {
          for (const [name, { may, mayNot }] of Object.entries(builtIn)) {
            const role = succeeded(await world.api.get("roles", await world.builtInRole(name)), `the role ${name}`);
            const capabilities = role["capabilities"] as readonly string[];
            for (const one of may) equal(capabilities.includes(one), true, `whether ${name} has ${one}`);
            for (const one of mayNot) equal(capabilities.includes(one), false, `whether ${name} has ${one}`);
          }
          const capabilitiesOf = async (name: string) =>
            succeeded(await world.api.get("roles", await world.builtInRole(name)))["capabilities"] as readonly string[];
          const lists = (await capabilitiesOf("owner")).filter((one) => one.endsWith("_LIST"));
          equal((await capabilitiesOf("viewer")).toSorted(), lists.toSorted(), "the capabilities of viewer");
          const pull = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"];
          equal((await capabilitiesOf("registry.pull")).toSorted(), pull, "the capabilities of registry.pull");
        }),
      ],
    },
    {
      id: "access.binding-hydrated",
      says: "Whoever may list a binding sees it hydrated.",
      cases: [
        overBoth(async (world) => {
          const group = await world.makeGroup();
          const identity = await world.makeIdentity();
          const binding = await world.bind(group, identity, await world.builtInRole("editor"));
          const { api } = await world.caller(await world.makeRole(["CAP_IAM_ROLE_BINDINGS_LIST"]), group);
          const seen = succeeded(await api.get("roleBindings", binding));
          has(seen, { identity: { uid: identity }, group: { uid: group }, role: { name: "editor" } }, "the binding");
        }),
      ],
    },
    {
      id: "access.bind",
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
      id: "access.change-binding",
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
      id: "access.change-role",
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
      id: "access.change-assumption",
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
      id: "access.invite-and-provider",
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
      id: "access.custom-role-subtree",
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
    {
      id: "access.narrowed",
      says: "All of this is judged with the rights that the token was narrowed to.",
      cases: [
        overBoth("to capabilities", async (world) => {
          const { api } = await world.caller("owner", world.group, {
            cap: ["groups.list", "roles.create", "repo.list"],
          });
          succeeded(await api.get("groups", world.group), "what it was narrowed to");
          refused(await api.create("groups", world.group, { name: "a" }), { code: 7 }, "what it was narrowed from");
          const role = { name: "a", capabilities: ["CAP_REPO_DELETE"] };
          refused(await api.create("roles", world.group, role), { code: 7 }, "giving what it was narrowed from");
        }),
        overBoth("to groups", async (world) => {
          const [inner, other] = [await world.makeGroup(), await world.makeGroup()];
          const { api } = await world.caller("owner", world.group, { scopes: [inner] });
          succeeded(await api.update("groups", inner, { description: "d" }), "in the group that it was narrowed to");
          for (const uid of [world.group, other])
            refused(await api.get("groups", uid), { code: 5 }, "above or beside it");
        }),
      ],
    },
    {
      id: "access.identity-read-again",
      says: "Every request reads its identity again: deleted → 16.",
      cases: [
        overBoth(async (world) => {
          const { api, identity } = await world.caller("viewer");
          succeeded(await api.get("groups", world.group), "a call while the identity is there");
          succeeded(await world.api.delete("identities", identity));
          refused(await api.get("groups", world.group), { code: 16 }, "a call after its deletion");
        }),
      ],
    },
  ],
};
