import { type CollectionName, collections } from "../../client/collections.ts";
import { outcomeOf } from "../../client/rest.ts";
import { equal, matches, rejected, resourcesOf, succeeded } from "../../expect.ts";
import { coveredBy, decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";

const malformed = ["nonsense", "0".repeat(39), "0".repeat(41), "G".repeat(40), `${"0".repeat(40)}/123`];

/** The format of uids, and the errors for invalid ones. */
export const uids = decidedSection("uids", [
  requirement(
    "uids.root",
    "A root resource's uid is 40 lowercase hex digits. Root groups and built-in roles are roots.",
    overBoth(async (world) => {
      for (const collection of ["groups", "roles"] as const)
        for (const { uid } of await world.list(collection, { uidp: { inRoot: true } }))
          matches(uid, /^[0-9a-f]{40}$/, `the uid of a root in ${collection}`);
    }),
  ),
  requirement(
    "uids.child",
    "Each child appends `/` and 16 lowercase hex digits: groups, identities, custom roles and bindings in their group.",
    overBoth(async (world) => {
      const [group, identity, role] = [
        await world.makeGroup(),
        await world.makeIdentity(),
        await world.makeRole(["CAP_REPO_LIST"]),
      ];
      const binding = await world.bind(world.group, identity, role);
      for (const uid of [group, identity, role, binding])
        matches(uid, new RegExp(`^${world.group}/[0-9a-f]{16}$`), "the uid of a resource in the group");
    }),
  ),
  coveredBy("uids.raw-slashes", "In a URL path, each `/` of a uid stays unescaped.", "4.1.get"),
  coveredBy(
    "uids.descendants",
    "The descendants of P are the resources whose uid starts with P and `/`; P itself is not one of them.",
    "4.6.descendants-of",
  ),
  requirement(
    "uids.malformed-in-path",
    "A malformed uid in a path is code 5.",
    overBoth(async ({ api }) => {
      for (const uid of malformed) {
        rejected(await api.get("groups", uid), { code: 5 }, `reading group ${uid}`);
        rejected(await api.update("groups", uid, { name: "a" }), { code: 5 }, `an update of group ${uid}`);
        rejected(await api.delete("groups", uid), { code: 5 }, `deleting group ${uid}`);
        rejected(await api.create("groups", uid, { name: "a" }), { code: 5 }, `creating a group in ${uid}`);
      }
    }),
  ),
  requirement(
    "uids.wrong-type-in-path",
    "A uid of the wrong resource type in a path is code 5.",
    overBoth(async (world) => {
      const { api, group } = world;
      const identity = await world.makeIdentity();
      rejected(await api.get("groups", identity), { code: 5 }, "reading a group by the uid of an identity");
      rejected(await api.create("groups", identity, { name: "a" }), { code: 5 }, "creating a group in an identity");
      for (const collection of ["identities", "roles", "roleBindings", "repos"] as const)
        rejected(await api.get(collection, group), { code: 5 }, `reading one of ${collection} by the uid of a group`);
      rejected(await api.delete("identities", group), { code: 5 }, "deleting an identity by the uid of a group");
    }),
  ),
  requirement(
    "uids.malformed-elsewhere",
    "Outside of a path, a malformed uid, or one of the wrong resource type, is code 3.",
    overBoth("a malformed uid in a filter", async ({ api }) => {
      for (const collection of Object.keys(collections) as CollectionName[])
        for (const uidp of [{ descendantsOf: "nonsense" }, { childrenOf: "nonsense" }, { ids: ["nonsense"] }])
          rejected(await api.list(collection, { uidp }), { code: 3 }, `a List of ${collection}`);
    }),
    overBoth("the wrong resource type in a filter", async (world) => {
      const { api, group } = world;
      const identity = await world.makeIdentity();
      const places = [{ descendantsOf: identity }, { childrenOf: identity }, { ids: [identity] }];
      for (const uidp of places)
        rejected(await api.list("groups", { uidp }), { code: 3 }, "a List of groups by the uid of an identity");
      const below = { descendantsOf: identity };
      rejected(await api.list("identities", { uidp: below }), { code: 3 }, "a List of identities below an identity");
      for (const [field, uid] of [
        ["identity", group],
        ["group", identity],
        ["role", identity],
      ] as const)
        rejected(await api.list("roleBindings", { [field]: uid }), { code: 3, field }, "a List of role bindings");
      const viewer = await world.builtInRole("viewer");
      const binding = await world.bind(group, identity, viewer);
      // A caller that sees only the group and what is in it.
      const seeing = (await world.caller("viewer")).api;
      for (const [collection, path, filter] of [
        ["identities", "uidp.children_of", { uidp: { childrenOf: binding } }],
        ["identities", "uidp.children_of", { uidp: { childrenOf: viewer } }],
        ["identities", "uidp.ids", { uidp: { ids: [identity, group] } }],
        ["identities", "uidp.ids", { uidp: { ids: ["0".repeat(40)] } }],
        ["roleBindings", "identity", { identity: "0".repeat(40) }],
        ["tags", "uidp.children_of", { uidp: { childrenOf: identity } }],
      ] as const)
        rejected(
          await seeing.list(collection, filter),
          { code: 3, field: path },
          `a List of ${collection} by ${JSON.stringify(filter)}`,
        );
      const repo = await world.api.create("repos", group, { name: "repo" });
      if (repo.ok)
        rejected(
          await seeing.list("roleBindings", { group: repo.body.uid }),
          { code: 3, field: "group" },
          "a List of role bindings by the uid of a repo as a group",
        );
    }),
    overRest("the wrong resource type in a filter of v1", async ({ rest, group }) => {
      const outcome = outcomeOf(await rest.send("GET", `/iam/v1/identities?id=${group}`));
      rejected(outcome, { code: 3, field: "id" }, "a list of identities by the uid of a group");
    }),
    overBoth("a malformed uid in a body", async (world) => {
      const roleUid = await world.builtInRole("viewer");
      const identityUid = await world.makeIdentity();
      const make = (body: object) => world.api.create("roleBindings", world.group, body);
      rejected(await make({ identityUid: "nonsense", roleUid }), { code: 3, field: "identityUid" });
      rejected(await make({ identityUid, roleUid: "nonsense" }), { code: 3, field: "roleUid" });
    }),
    overBoth("the wrong resource type in a body", async (world) => {
      const roleUid = await world.builtInRole("viewer");
      const identityUid = await world.makeIdentity();
      const make = (body: object) => world.api.create("roleBindings", world.group, body);
      const group = await world.makeGroup();
      rejected(await make({ identityUid: group, roleUid }), { code: 3, field: "identityUid" });
      rejected(await make({ identityUid, roleUid: group }), { code: 3, field: "roleUid" });
      // An identity has a parent.
      rejected(await make({ identityUid: "0".repeat(40), roleUid }), { code: 3, field: "identityUid" });
      const root = world.root.slice(0, 40);
      if ((await world.api.get("groups", root)).ok)
        rejected(await make({ identityUid, roleUid: root }), { code: 3, field: "roleUid" });
    }),
  ),
  requirement(
    "uids.unknown-in-filter",
    "A List filtered by a well-formed uid that does not exist, or that the caller cannot see, is empty.",
    overBoth(async (world) => {
      const { api, group } = world;
      for (const uidp of [{ childrenOf: `${group}/${"0".repeat(16)}` }, { descendantsOf: "0".repeat(40) }])
        equal(resourcesOf(await api.list("groups", { uidp }), "groups"), [], "groups");
      const [seen, other] = [await world.makeGroup(), await world.makeGroup()];
      const hidden = await world.makeIdentity(other);
      const caller = await world.caller("viewer", seen);
      for (const uid of [`${seen}/${"0".repeat(16)}`, hidden])
        for (const [collection, filter] of [
          ["groups", { uidp: { childrenOf: uid } }],
          ["groups", { uidp: { ids: [uid] } }],
          ["roleBindings", { role: uid }],
          ["roleBindings", { group: uid }],
        ] as const) {
          const page = succeeded(await caller.api.list(collection, filter), `a List of ${collection}`);
          equal(page.totalCount, "0", `totalCount of ${collection} by ${JSON.stringify(filter)}`);
        }
    }),
  ),
  requirement(
    "uids.missing",
    "A well-formed uid that does not exist is code 5 in a path.",
    overBoth(async (world) => {
      const missing = `${world.group}/${"0".repeat(16)}`;
      for (const collection of ["groups", "identities", "roles", "roleBindings"] as const) {
        rejected(await world.api.get(collection, missing), { code: 5 }, `reading one of ${collection}`);
        rejected(await world.api.update(collection, missing, {}), { code: 5 }, `an update of one of ${collection}`);
      }
      rejected(await world.api.create("groups", missing, { name: "a" }), { code: 5 }, "creating a group in it");
      succeeded(await world.api.get("groups", world.group));
    }),
  ),
]);
