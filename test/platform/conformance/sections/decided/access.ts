import type { Json, Query } from "../../client/api.ts";
import { type CollectionName, collections } from "../../client/collections.ts";
import { equal, has, rejected, resourcesOf, succeeded } from "../../expect.ts";
import { coveredBy, decidedSection, overBoth, requirement, untested } from "../../requirement.ts";
import { makeRepo } from "./repos.ts";

const writes = (resource: "REPO" | "TAG") => ["CREATE", "UPDATE", "DELETE"].map((verb) => `CAP_${resource}_${verb}`);
const pull = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"];

/** The capabilities of each built-in role, given those of owner. */
const builtIn: Readonly<Record<string, (all: readonly string[]) => readonly string[]>> = {
  viewer: lists,
  editor: (all) => [...lists(all), ...writes("REPO")],
  limited_owner: (all) => [...lists(all), "CAP_IAM_IDENTITY_CREATE", "CAP_IAM_ROLE_BINDINGS_CREATE"],
  "registry.pull": () => pull,
  "registry.push": () => [...pull, ...writes("REPO"), ...writes("TAG")],
};

function lists(all: readonly string[]): readonly string[] {
  return all.filter((capability) => capability.endsWith("_LIST") && capability !== "CAP_AUDIT_LIST");
}

const collectionNames = Object.keys(collections) as CollectionName[];
/** What a caller can see and do. */
export const access = decidedSection("Access", [
  coveredBy(
    "access.list-and-get",
    "List and Get need the resource's `.list`.",
    "permissions.groups",
    "permissions.identity",
    "permissions.roles",
    "permissions.role-bindings",
  ),
  requirement(
    "access.inherited",
    "A binding applies to its group and to every group below it.",
    overBoth(async (world) => {
      const bound = await world.makeGroup();
      const child = await world.makeGroup(bound);
      const deep = await world.makeGroup(child);
      const sibling = await world.makeGroup();
      const { api } = await world.caller("viewer", bound);
      for (const uid of [bound, child, deep]) succeeded(await api.get("groups", uid), "a Get in the group or below it");
      for (const uid of [world.group, sibling])
        rejected(await api.get("groups", uid), { code: 5 }, "a Get of the parent or a sibling");
    }),
  ),
  requirement(
    "access.empty-list",
    "Without the capability anywhere, a List returns an empty list, not an error.",
    overBoth(async (world) => {
      const { api } = await world.caller(await world.makeRole(["CAP_IAM_GROUPS_CREATE"]));
      for (const collection of collectionNames) {
        const uidp = { descendantsOf: world.group };
        const page = succeeded(await api.list(collection, { uidp }), `a List of ${collection}`);
        has(page, { [collection]: [], totalCount: "0" }, `the page of ${collection}`);
      }
    }),
  ),
  requirement(
    "access.restricted-list",
    "A List is restricted to what the token covers.",
    overBoth(async (world) => {
      const { uid: seen } = await world.make("groups", world.group, { name: "seen" });
      const { uid: hidden } = await world.make("groups", world.group, { name: "hidden" });
      const child = await world.makeGroup(seen);
      await world.makeGroup(hidden);
      const { api } = await world.caller("viewer", seen);
      const uids = async (query: Query) => resourcesOf(await api.list("groups", query), "groups").map(({ uid }) => uid);
      equal(await uids({}), [seen, child], "all visible groups");
      equal(await uids({ uidp: { descendantsOf: world.group } }), [seen, child], "the visible descendants");
      equal(await uids({ uidp: { childrenOf: world.group } }), [seen], "the visible children");
      equal(await uids({ uidp: { childrenOf: hidden } }), [], "the children of a hidden group");
      equal(await uids({ uidp: { descendantsOf: hidden } }), [], "the descendants of a hidden group");
      equal(await uids({ name: "seen" }), [seen], "a visible group by its name");
      equal(await uids({ name: "hidden" }), [], "a hidden group by its name");
      equal(await uids({ uidp: { ids: [hidden] } }), [], "a hidden group by its uid");
    }),
  ),
  requirement(
    "access.roles",
    "Every caller can read built-in roles; custom roles need `roles.list`.",
    overBoth(async (world) => {
      const custom = await world.makeRole(["CAP_REPO_LIST"]);
      const { api } = await world.caller("registry.pull");
      const viewer = await world.builtInRole("viewer");
      succeeded(await api.get("roles", viewer), "a Get of a built-in role without roles.list");
      const without = succeeded(await api.list("roles", { pageSize: 200 }), "a List without roles.list");
      const names = (without["roles"] as readonly Json[]).map(({ name }) => name);
      equal(names.includes("viewer"), true, "whether viewer is in the List of roles");
      equal(without.totalCount, String(names.length), "totalCount without roles.list");
      rejected(await api.get("roles", custom), { code: 7 }, "a Get of a custom role without roles.list");
      const reader = await world.caller("viewer");
      succeeded(await reader.api.get("roles", custom), "a Get of a custom role with roles.list");
      const page = succeeded(await reader.api.list("roles", { pageSize: 200 }), "a List with roles.list");
      const uids = (page["roles"] as readonly Json[]).map(({ uid }) => uid);
      equal(uids.includes(custom), true, "whether the custom role is in the List of roles");
      equal(page.totalCount, String(names.length + 1), "totalCount with roles.list");
    }),
  ),
  requirement(
    "access.built-in-roles",
    "viewer: every `.list` except `audit.list`; editor: viewer and `repo.*` writes; owner: everything; limited_owner: viewer, `identity.create`, `role_bindings.create`; registry.pull: `groups.list`, `repo.list`, `tag.list`; registry.push: registry.pull, repo and tag writes.",
    overBoth(async (world) => {
      const capabilitiesOf = async (name: string) =>
        succeeded(await world.api.get("roles", await world.builtInRole(name)))["capabilities"] as readonly string[];
      const all = await capabilitiesOf("owner");
      equal(all.length, new Set(all).size, "the number of different capabilities of owner");
      for (const [name, expected] of Object.entries(builtIn))
        equal((await capabilitiesOf(name)).toSorted(), expected(all).toSorted(), `the capabilities of ${name}`);
    }),
  ),
  requirement(
    "access.binding-hydrated",
    "A caller that can list a binding sees it hydrated.",
    overBoth(async (world) => {
      const group = await world.makeGroup();
      const identity = await world.makeIdentity();
      const binding = await world.bind(group, identity, await world.builtInRole("editor"));
      const { api } = await world.caller(await world.makeRole(["CAP_IAM_ROLE_BINDINGS_LIST"]), group);
      const seen = succeeded(await api.get("roleBindings", binding));
      has(seen, { identity: { uid: identity }, group: { uid: group }, role: { name: "editor" } }, "the binding");
    }),
  ),
  requirement(
    "access.role-changed",
    "A change of a role, or the end of a binding, applies to the next call of the identities that have it.",
    overBoth(async (world) => {
      const role = await world.makeRole(["CAP_REPO_LIST"]);
      const { api, identity } = await world.caller(role);
      const read = () => api.get("groups", world.group);
      rejected(await read(), { code: 7 }, "a Get without groups.list");
      succeeded(await world.api.update("roles", role, { capabilities: ["CAP_IAM_GROUPS_LIST"] }));
      succeeded(await read(), "a Get after the role has gained groups.list");
      for (const { uid } of await world.list("roleBindings", { identity }))
        succeeded(await world.api.delete("roleBindings", uid));
      rejected(await read(), { code: 5 }, "a Get after the binding was deleted");
    }),
  ),
  requirement(
    "access.downscoped",
    "A downscoped token has only the permissions that it was downscoped to.",
    overBoth("to a repo; exchange.scope and exchange.cap cover groups and capabilities", async (world) => {
      const [repo, other] = [await makeRepo(world), await makeRepo(world)];
      const digest = `sha256:${"0".repeat(64)}`;
      const tag = await world.make("tags", repo.uid, { name: "latest", digest });
      await world.make("tags", other.uid, { name: "latest", digest });
      const { api } = await world.caller("registry.pull", world.group, { scope: repo.uid });
      equal(resourcesOf(await api.list("tags"), "tags"), [tag], "the tags of a List");
      const hidden = await api.create("tags", other.uid, { name: "latest", digest });
      rejected(hidden, { code: 5 }, "a Create of a tag in another repo");
    }),
  ),
  untested(
    "access.consistency-lag",
    "After a group is created, a platform can return 7 for its children for some seconds.",
    "it is optional; with --consistency-lag, the suite waits for that time",
  ),
]);
