import { setTimeout } from "node:timers/promises";
import { equal, holds, matches, succeeded } from "../../expect.ts";
import { contractSection, overBoth, overRest, requirement } from "../../requirement.ts";

const withMilliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** The accepted difference between the clocks of this machine and of the platform, in milliseconds. */
const clockSkew = 5 * 60_000;

/** Section 2, the fields of all resources. */
export const common = contractSection("2 Common fields", [
  requirement(
    "2.uid-unique",
    "`uid` is the unique resource identifier.",
    overBoth(async (world) => {
      const uids = (await world.makeGroups(20)).map(({ uid }) => uid);
      equal(new Set(uids).size, 20, "the number of different uids of 20 groups");
    }),
  ),
  requirement(
    "2.uid-extends-parent",
    "A uid is a path of segments separated by `/`. A child's uid extends the uid path of its parent group.",
    overBoth(async (world) => {
      const group = await world.makeGroup();
      for (const child of [await world.makeGroup(group), await world.makeIdentity(group)]) {
        holds(child.startsWith(`${group}/`), "the uid of a group's child", `${group}/ and a segment`, child);
        equal(child.slice(group.length + 1).split("/").length, 1, "the number of segments that a child adds");
      }
    }),
  ),
  requirement(
    "2.uid-of-built-in-role",
    "The uid of a built-in role is a single segment without `/`.",
    overBoth(async (world) => matches(await world.builtInRole("viewer"), /^[^/]+$/, "the uid of viewer")),
  ),
  requirement(
    "2.create-time",
    "`createTime`: creation time, an RFC 3339 timestamp with milliseconds, UTC.",
    overRest("the format", async (world) => {
      const made = await world.make("groups", world.group, { name: "a" });
      matches(made.createTime, withMilliseconds, "createTime");
    }),
    overBoth("the current time; an update does not change it", async (world) => {
      const made = await world.make("groups", world.group, { name: "a" });
      const distance = Math.abs(Date.parse(made.createTime) - Date.now());
      holds(distance < clockSkew, "createTime", "now, within five minutes", made.createTime);
      const updated = succeeded(await world.api.update("groups", made.uid, { description: "d" }));
      equal(updated.createTime, made.createTime, "createTime after an update");
    }),
  ),
  requirement(
    "2.update-time",
    "`updateTime`: last update time, an RFC 3339 timestamp.",
    overRest("the format", async (world) => {
      const made = await world.make("groups", world.group, { name: "a" });
      matches(made.updateTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, "updateTime");
    }),
    overBoth("the time of the last update", async (world) => {
      const made = await world.make("groups", world.group, { name: "a" });
      await setTimeout(20);
      const updated = succeeded(await world.api.update("groups", made.uid, { description: "d" }));
      const later = Date.parse(updated.updateTime) > Date.parse(made.updateTime);
      holds(later, "updateTime after an update", `later than ${made.updateTime}`, updated.updateTime);
      equal(
        succeeded(await world.api.get("groups", made.uid)).updateTime,
        updated.updateTime,
        "updateTime in the response to Get",
      );
    }),
  ),
]);
