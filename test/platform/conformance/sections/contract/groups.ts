import { equal, has, holds, isEmptyBody, rejected, resourcesOf, succeeded } from "../../expect.ts";
import { contractSection, coveredBy, overBoth, overRest, requirement } from "../../requirement.ts";

const invalidName = { code: 3, reason: "INVALID_ARGUMENT", field: "name" } as const;

/** Sections 2 (Group), 3 and 4.1. */
export const groups = contractSection("4.1 Groups", [
  requirement(
    "2.group.name-pattern",
    "`name` must match `^[a-z0-9 ._-]{1,}$`.",
    overBoth("valid names", async (world) => {
      for (const name of ["a", "0", "team a", "a.b_c-d", "-", "x".repeat(100)])
        equal((await world.make("groups", world.group, { name })).name, name, "name");
    }),
    overBoth("invalid names", async ({ api, group }) => {
      for (const name of ["", "A", "Team", "a/b", "ä", "a\n", "a\tb", "a:b", "日本"])
        rejected(
          await api.create("groups", group, { name }),
          invalidName,
          `creating a group named ${JSON.stringify(name)}`,
        );
    }),
    overBoth("an update to an invalid name", async (world) => {
      const uid = await world.makeGroup();
      rejected(await world.api.update("groups", uid, { name: "Upper" }), invalidName, "an update of the name");
    }),
  ),
  coveredBy("2.group.name-required", "`name` is required on create.", "7.invalid-name"),
  requirement(
    "2.group.description",
    "`description` is optional.",
    overBoth(async (world) => {
      const without = await world.make("groups", world.group, { name: world.name() });
      equal(without.description, "", "the description of a group without one");
      const given = await world.make("groups", world.group, {
        name: world.name(),
        description: "The team's group.",
      });
      equal(given.description, "The team's group.", "the description of a group with one");
    }),
  ),
  requirement(
    "2.group.resource-limits",
    "`resourceLimits` is returned as an empty object.",
    overBoth(async (world) => {
      equal((await world.make("groups", world.group, { name: "a" }))["resourceLimits"], {}, "resourceLimits");
    }),
  ),
  requirement(
    "2.group.verified",
    "`verified` is `false` on newly created groups.",
    overBoth(async (world) => {
      equal((await world.make("groups", world.group, { name: "a" }))["verified"], false, "verified");
    }),
  ),
  requirement(
    "3.delete-not-empty",
    "Deleting a group that still has child resources fails with a precondition failure.",
    overBoth(async (world) => {
      const group = await world.makeGroup();
      const child = await world.makeGroup(group);
      const error = { code: 9, reason: "FAILED_PRECONDITION", violation: "RESOURCE_NOT_EMPTY" };
      rejected(await world.api.delete("groups", group), error, "deleting a group with a child");
      succeeded(await world.api.get("groups", child), "reading the child");
      succeeded(await world.api.delete("groups", child), "deleting the child");
      succeeded(await world.api.delete("groups", group), "deleting the group when it is empty");
    }),
  ),
  requirement(
    "4.1.list",
    "`GET /iam/v2beta1/groups` returns the list envelope with `groups`.",
    overBoth(async (world) => {
      const made = await world.make("groups", world.group, { name: "a", description: "d" });
      const rows = resourcesOf(await world.api.list("groups", { uidp: { childrenOf: world.group } }), "groups");
      equal(rows, [made], "groups");
    }),
  ),
  requirement(
    "4.1.get",
    "`GET /iam/v2beta1/groups/<group_uid>` returns the group.",
    overBoth(async (world) => {
      const made = await world.make("groups", world.group, { name: "a", description: "d" });
      equal(succeeded(await world.api.get("groups", made.uid)), made, "the group that Get returns");
    }),
  ),
  requirement(
    "4.1.create",
    "`POST /iam/v2beta1/groups/<parent_group_uid>`: body `name` (required), `description`; returns the group. The parent group is in the path and is not repeated in the body.",
    overBoth(async (world) => {
      const made = await world.make("groups", world.group, { name: "a", description: "d" });
      has(made, { name: "a", description: "d" }, "the created group");
      holds(made.uid.startsWith(`${world.group}/`), "its uid", `one in ${world.group}`, made.uid);
    }),
  ),
  coveredBy(
    "4.1.update",
    "`PATCH /iam/v2beta1/groups/<group_uid>`: body the fields to change; returns the updated resource.",
    "4.7.1",
    "4.7.3",
  ),
  requirement(
    "4.1.delete",
    "`DELETE /iam/v2beta1/groups/<group_uid>`: empty body on success.",
    overBoth("the group no longer exists", async (world) => {
      const uid = await world.makeGroup();
      isEmptyBody(succeeded(await world.api.delete("groups", uid), "deleting an empty group"));
      rejected(await world.api.get("groups", uid), { code: 5 }, "reading it again");
      equal(await world.list("groups", { uidp: { childrenOf: world.group } }), [], "the remaining groups");
    }),
    overRest("the HTTP status", async (world) => {
      const { status } = await world.rest.send("DELETE", `/iam/v2beta1/groups/${await world.makeGroup()}`);
      equal(status, 200, "the HTTP status");
    }),
  ),
  coveredBy(
    "4.1.filter-scope",
    "Group List filters: `uidp.descendants_of`, `uidp.children_of`.",
    "4.6.descendants-of",
    "4.6.children-of",
  ),
  requirement(
    "4.1.filter-name",
    "The `name` filter is an exact match. It combines with the scope filters.",
    overBoth(async (world) => {
      const inner = await world.make("groups", world.group, { name: "inner" });
      const wanted = await world.make("groups", world.group, { name: "wanted" });
      await world.make("groups", world.group, { name: "wanted-not" });
      const deep = await world.make("groups", inner.uid, { name: "wanted" });
      const uids = async (uidp: object, name: string) =>
        (await world.list("groups", { uidp, name })).map(({ uid }) => uid);
      equal(await uids({ childrenOf: world.group }, "wanted"), [wanted.uid], "the children with the name");
      const both = [wanted.uid, deep.uid].toSorted();
      equal((await uids({ descendantsOf: world.group }, "wanted")).toSorted(), both, "the descendants with the name");
      equal(await uids({ descendantsOf: world.group }, "want"), [], "the groups by a part of the name");
    }),
  ),
]);
