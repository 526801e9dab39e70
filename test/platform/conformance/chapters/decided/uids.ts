import { type CollectionName, collections } from "../../client/collections.ts";
import { equal, matches, refused, rowsOf, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

const malformed = ["nonsense", "0".repeat(39), "0".repeat(41), "G".repeat(40), `${"0".repeat(40)}/123`];

/** The form of uids, and what a wrong one is answered with. */
export const uids: Chapter = {
  title: "uids",
  origin: "decided",
  sentences: [
    {
      id: "uids.root",
      says: "A root resource's uid is 40 lowercase hex digits. Root groups and built-in roles are roots.",
      cases: [
        overBoth(async (world) => {
          for (const collection of ["groups", "roles"] as const)
            for (const { uid } of await world.rows(collection, { uidp: { inRoot: true } }))
              matches(uid, /^[0-9a-f]{40}$/, `the uid of a root of ${collection}`);
        }),
      ],
    },
    {
      id: "uids.child",
      says: "Each child adds `/` and 16 lowercase hex digits: groups, identities, custom roles and bindings in their group.",
      cases: [
        overBoth(async (world) => {
          const [group, identity, role] = [
            await world.makeGroup(),
            await world.makeIdentity(),
            await world.makeRole(["CAP_REPO_LIST"]),
          ];
          const binding = await world.bind(world.group, identity, role);
          for (const uid of [group, identity, role, binding])
            matches(uid, new RegExp(`^${world.group}/[0-9a-f]{16}$`), "the uid of what was made in the group");
        }),
      ],
    },
    {
      id: "uids.raw-slashes",
      says: "In a URL's path the `/` of a uid stay raw.",
      cases: [
        overRest(async (world) => {
          const uid = await world.makeGroup();
          const { status, text } = await world.rest.send("GET", `/iam/v2beta1/groups/${uid}`);
          equal(status, 200, "the HTTP status");
          equal((JSON.parse(text) as { uid: string }).uid, uid, "the uid of the answer");
        }),
      ],
    },
    {
      id: "uids.descendants",
      says: "A descendant of P is what starts with P and `/`; P itself is none.",
      cases: [
        overBoth(async (world) => {
          const child = await world.makeGroup();
          const listed = await world.rows("groups", { uidp: { descendantsOf: child } });
          equal(listed, [], "the descendants of a group without any");
        }),
      ],
    },
    {
      id: "uids.malformed-in-path",
      says: "A malformed uid in a path is code 5.",
      cases: [
        overBoth(async ({ api }) => {
          for (const uid of malformed) {
            refused(await api.get("groups", uid), { code: 5 }, `reading group ${uid}`);
            refused(await api.update("groups", uid, { name: "a" }), { code: 5 }, `an update of group ${uid}`);
            refused(await api.delete("groups", uid), { code: 5 }, `deleting group ${uid}`);
            refused(await api.create("groups", uid, { name: "a" }), { code: 5 }, `making a group in ${uid}`);
          }
        }),
      ],
    },
    {
      id: "uids.wrong-kind-in-path",
      says: "A uid of the wrong kind in a path is code 5.",
      cases: [
        overBoth(async (world) => {
          const { api, group } = world;
          const identity = await world.makeIdentity();
          refused(await api.get("groups", identity), { code: 5 }, "reading a group by the uid of an identity");
          refused(await api.create("groups", identity, { name: "a" }), { code: 5 }, "making a group in an identity");
          for (const collection of ["identities", "roles", "roleBindings", "repos"] as const)
            refused(
              await api.get(collection, group),
              { code: 5 },
              `reading one of ${collection} by the uid of a group`,
            );
          refused(await api.delete("identities", group), { code: 5 }, "deleting an identity by the uid of a group");
        }),
      ],
    },
    {
      id: "uids.malformed-elsewhere",
      says: "A malformed uid, or one of the wrong kind, is code 3 where it is not in a path.",
      cases: [
        overBoth("malformed in a filter", async ({ api }) => {
          for (const collection of Object.keys(collections) as CollectionName[])
            for (const uidp of [{ descendantsOf: "nonsense" }, { childrenOf: "nonsense" }, { ids: ["nonsense"] }])
              refused(await api.list(collection, { uidp }), { code: 3 }, `a List of ${collection}`);
        }),
        overBoth("of the wrong kind in a filter", async (world) => {
          const { api, group } = world;
          const identity = await world.makeIdentity();
          const places = [{ descendantsOf: identity }, { childrenOf: identity }, { ids: [identity] }];
          for (const uidp of places)
            refused(await api.list("groups", { uidp }), { code: 3 }, "a List of groups by the uid of an identity");
          for (const [field, uid] of [
            ["identity", group],
            ["group", identity],
            ["role", identity],
          ] as const)
            refused(await api.list("roleBindings", { [field]: uid }), { code: 3, field }, "a List of role bindings");
        }),
        overBoth("malformed in a body", async (world) => {
          const roleUid = await world.builtInRole("viewer");
          const identityUid = await world.makeIdentity();
          const make = (body: object) => world.api.create("roleBindings", world.group, body);
          refused(await make({ identityUid: "nonsense", roleUid }), { code: 3, field: "identityUid" });
          refused(await make({ identityUid, roleUid: "nonsense" }), { code: 3, field: "roleUid" });
        }),
        overBoth("of the wrong kind in a body", async (world) => {
          const roleUid = await world.builtInRole("viewer");
          const identityUid = await world.makeIdentity();
          const make = (body: object) => world.api.create("roleBindings", world.group, body);
          const group = await world.makeGroup();
          refused(await make({ identityUid: group, roleUid }), { code: 3, field: "identityUid" });
          refused(await make({ identityUid, roleUid: group }), { code: 3, field: "roleUid" });
        }),
      ],
    },
    {
      id: "uids.unknown-in-filter",
      says: "A filter by a well-formed uid of which there is nothing gives an empty list.",
      cases: [
        overBoth(async ({ api, group }) => {
          const uidp = { childrenOf: `${group}/${"0".repeat(16)}` };
          equal(rowsOf(await api.list("groups", { uidp }), "groups"), [], "groups");
        }),
      ],
    },
    {
      id: "uids.missing",
      says: "A well-formed uid of which there is nothing is code 5 in a path.",
      cases: [
        overBoth(async (world) => {
          const missing = `${world.group}/${"0".repeat(16)}`;
          for (const collection of ["groups", "identities", "roles", "roleBindings"] as const) {
            refused(await world.api.get(collection, missing), { code: 5 }, `reading one of ${collection}`);
            refused(await world.api.update(collection, missing, {}), { code: 5 }, `an update of one of ${collection}`);
          }
          refused(await world.api.create("groups", missing, { name: "a" }), { code: 5 }, "making a group in it");
          succeeded(await world.api.get("groups", world.group));
        }),
      ],
    },
  ],
};
