import { setTimeout } from "node:timers/promises";
import type { Query } from "../../client/api.ts";
import { type CollectionName, collections } from "../../client/collections.ts";
import { equal, has, holds, refused, rowsOf, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

const writes = (resource: "REPO" | "TAG") => ["CREATE", "UPDATE", "DELETE"].map((verb) => `CAP_${resource}_${verb}`);
const pull = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"];

/** What each built-in role has; `all` is what owner has, which has chapters of its own. */
const builtIn: Readonly<Record<string, (all: readonly string[]) => readonly string[]>> = {
  viewer: lists,
  editor: (all) => [...lists(all), ...writes("REPO")],
  limited_owner: (all) => [...lists(all), "CAP_IAM_IDENTITY_CREATE", "CAP_IAM_ROLE_BINDINGS_CREATE"],
  "registry.pull": () => pull,
  "registry.push": () => [...pull, ...writes("REPO"), ...writes("TAG")],
};

function lists(all: readonly string[]): readonly string[] {
  return all.filter((one) => one.endsWith("_LIST"));
}

const collectionNames = Object.keys(collections) as CollectionName[];
/** Milliseconds until keys expire that are there to expire. */
const soon = 2_000;
/** Milliseconds after which it is given up that they do. */
const patience = 20_000;

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
          const { api } = await world.caller(await world.makeRole(["CAP_IAM_GROUPS_CREATE"]));
          for (const collection of collectionNames) {
            const uidp = { descendantsOf: world.group };
            const page = succeeded(await api.list(collection, { uidp }), `a List of ${collection}`);
            has(page, { [collection]: [], totalCount: "0" }, `the page of ${collection}`);
          }
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
          const capabilitiesOf = async (name: string) =>
            succeeded(await world.api.get("roles", await world.builtInRole(name)))["capabilities"] as readonly string[];
          const all = await capabilitiesOf("owner");
          equal(all.length, new Set(all).size, "how many different capabilities owner has");
          for (const [name, expected] of Object.entries(builtIn))
            equal((await capabilitiesOf(name)).toSorted(), expected(all).toSorted(), `the capabilities of ${name}`);
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
      says: "A narrowed token stays narrow: it sees and does what it was narrowed to alone.",
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
      says: "Every request reads its identity again: deleted, or its static keys expired → 16.",
      cases: [
        overBoth("deleted", async (world) => {
          const { api, identity } = await world.caller("viewer");
          succeeded(await api.get("groups", world.group), "a call while the identity is there");
          succeeded(await world.api.delete("identities", identity));
          refused(await api.get("groups", world.group), { code: 16 }, "a call after its deletion");
        }),
        overBoth("its static keys expired", async (world) => {
          const { api, identity } = await world.caller("viewer");
          // By the platform's clock, as this machine's may be another.
          const { updateTime } = succeeded(await world.api.update("identities", identity, { description: "d" }));
          const expirationTime = new Date(Date.parse(updateTime) + soon).toISOString();
          const body = { staticKeys: { expirationTime } };
          succeeded(await world.api.update("identities", identity, body, ["staticKeys.expirationTime"]));
          const started = performance.now();
          for (let outcome = await api.get("groups", world.group); ; outcome = await api.get("groups", world.group)) {
            if (!outcome.ok) return void refused(outcome, { code: 16 }, "a call after its keys expired");
            const waited = performance.now() - started;
            holds(waited < patience, "how long a token holds after its identity's keys expired", "no while", waited);
            await setTimeout(100);
          }
        }),
      ],
    },
    {
      id: "access.consistency-lag",
      says: "After a group is created, a platform may answer 7 for its children for some seconds.",
      untried: "what a platform may do or leave; with --consistency-lag the suite waits for it",
    },
  ],
};
