import type { Query } from "../../client/api.ts";
import { equal, has, refused, rowsOf, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

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
