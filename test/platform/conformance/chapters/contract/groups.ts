import { equal, has, holds, refused, rowsOf, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

const invalidName = { code: 3, reason: "INVALID_ARGUMENT", field: "name" } as const;

/** Sections 2 (Group), 3 and 4.1. */
export const groups: Chapter = {
  title: "4.1 Groups",
  origin: "contract",
  sentences: [
    {
      id: "2.group.name-pattern",
      says: "`name` must match `^[a-z0-9 ._-]{1,}$`.",
      cases: [
        overBoth("names that match", async (world) => {
          for (const name of ["a", "0", "team a", "a.b_c-d", "-", "x".repeat(100)])
            equal((await world.make("groups", world.group, { name })).name, name, "name");
        }),
        overBoth("names that do not", async ({ api, group }) => {
          for (const name of ["", "A", "Team", "a/b", "ä", "a\n", "a\tb", "a:b", "日本"])
            refused(
              await api.create("groups", group, { name }),
              invalidName,
              `making a group named ${JSON.stringify(name)}`,
            );
        }),
        overBoth("an update to one that does not", async (world) => {
          const uid = await world.makeGroup();
          refused(await world.api.update("groups", uid, { name: "Upper" }), invalidName, "an update of the name");
        }),
      ],
    },
    {
      id: "2.group.name-required",
      says: "`name` is required on create.",
      cases: [
        overBoth(async ({ api, group }) => {
          refused(
            await api.create("groups", group, { description: "d" }),
            invalidName,
            "making a group without a name",
          );
        }),
      ],
    },
    {
      id: "2.group.description",
      says: "`description` is optional.",
      cases: [
        overBoth(async (world) => {
          const without = await world.make("groups", world.group, { name: world.name() });
          equal(without.description, "", "the description of a group that was given none");
          const given = await world.make("groups", world.group, { name: world.name(), description: "What it is for." });
          equal(given.description, "What it is for.", "the description that was given");
        }),
      ],
    },
    {
      id: "2.group.resource-limits",
      says: "`resourceLimits` is returned as an empty object.",
      cases: [
        overBoth(async (world) => {
          equal((await world.make("groups", world.group, { name: "a" }))["resourceLimits"], {}, "resourceLimits");
        }),
      ],
    },
    {
      id: "2.group.verified",
      says: "`verified` is `false` on newly created groups.",
      cases: [
        overBoth(async (world) => {
          equal((await world.make("groups", world.group, { name: "a" }))["verified"], false, "verified");
        }),
      ],
    },
    {
      id: "3.delete-not-empty",
      says: "Deleting a group that still has child resources fails with a precondition failure.",
      cases: [
        overBoth(async (world) => {
          const group = await world.makeGroup();
          const child = await world.makeGroup(group);
          const refusal = { code: 9, violation: "RESOURCE_NOT_EMPTY" };
          refused(await world.api.delete("groups", group), refusal, "deleting a group with a child");
          succeeded(await world.api.get("groups", child), "reading the child");
          succeeded(await world.api.delete("groups", child), "deleting the child");
          succeeded(await world.api.delete("groups", group), "deleting the group, which is empty now");
        }),
      ],
    },
    {
      id: "4.1.list",
      says: "`GET /iam/v2beta1/groups` answers the list envelope with `groups`.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("groups", world.group, { name: "a", description: "d" });
          const rows = rowsOf(await world.api.list("groups", { uidp: { childrenOf: world.group } }), "groups");
          equal(rows, [made], "groups");
        }),
      ],
    },
    {
      id: "4.1.get",
      says: "`GET /iam/v2beta1/groups/<group_uid>` answers the group.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("groups", world.group, { name: "a", description: "d" });
          equal(succeeded(await world.api.get("groups", made.uid)), made, "the group as it is read");
        }),
      ],
    },
    {
      id: "4.1.create",
      says: "`POST /iam/v2beta1/groups/<parent_group_uid>`: body `name` (required), `description`; answers the group. The parent group is in the path and is not repeated in the body.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("groups", world.group, { name: "a", description: "d" });
          has(made, { name: "a", description: "d" }, "the group that was made");
          holds(made.uid.startsWith(`${world.group}/`), "its uid", `one in ${world.group}`, made.uid);
        }),
      ],
    },
    {
      id: "4.1.update",
      says: "`PATCH /iam/v2beta1/groups/<group_uid>`: body the fields to change; answers the updated resource.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("groups", world.group, { name: "a", description: "d" });
          const updated = succeeded(await world.api.update("groups", made.uid, { name: "b" }));
          has(updated, { uid: made.uid, name: "b", description: "d" }, "the answer");
          equal(succeeded(await world.api.get("groups", made.uid)), updated, "the group as it is read");
        }),
      ],
    },
    {
      id: "4.1.delete",
      says: "`DELETE /iam/v2beta1/groups/<group_uid>`: empty body on success.",
      cases: [
        overBoth("the group is gone", async (world) => {
          const uid = await world.makeGroup();
          const body = succeeded(await world.api.delete("groups", uid), "deleting an empty group");
          // Some platforms answer an empty object, and clients take both.
          holds(body === undefined || Object.keys(body).length === 0, "the body of the answer", "nothing, or {}", body);
          refused(await world.api.get("groups", uid), { code: 5 }, "reading it again");
          equal(await world.rows("groups", { uidp: { childrenOf: world.group } }), [], "the groups that are left");
        }),
        overRest("the status", async (world) => {
          const { status } = await world.rest.send("DELETE", `/iam/v2beta1/groups/${await world.makeGroup()}`);
          equal(status, 200, "the HTTP status");
        }),
      ],
    },
    {
      id: "4.1.filter-scope",
      says: "Group List filters: `uidp.descendants_of`, `uidp.children_of`.",
      cases: [
        overBoth(async (world) => {
          const child = await world.makeGroup();
          const grandchild = await world.makeGroup(child);
          const uids = async (uidp: object) => (await world.rows("groups", { uidp })).map(({ uid }) => uid);
          equal(await uids({ descendantsOf: world.group }), [child, grandchild], "the descendants");
          equal(await uids({ childrenOf: world.group }), [child], "the children");
        }),
      ],
    },
    {
      id: "4.1.filter-name",
      says: "The `name` filter is an exact match. It combines with the scope filters.",
      cases: [
        overBoth(async (world) => {
          const inner = await world.make("groups", world.group, { name: "inner" });
          const wanted = await world.make("groups", world.group, { name: "wanted" });
          await world.make("groups", world.group, { name: "wanted-not" });
          const deep = await world.make("groups", inner.uid, { name: "wanted" });
          const uids = async (uidp: object, name: string) =>
            (await world.rows("groups", { uidp, name })).map(({ uid }) => uid);
          equal(await uids({ childrenOf: world.group }, "wanted"), [wanted.uid], "the children of that name");
          const both = [wanted.uid, deep.uid].toSorted();
          equal(
            (await uids({ descendantsOf: world.group }, "wanted")).toSorted(),
            both,
            "the descendants of that name",
          );
          equal(await uids({ descendantsOf: world.group }, "want"), [], "those of a part of the name");
        }),
      ],
    },
  ],
};
