import { setTimeout } from "node:timers/promises";
import { equal, holds, matches, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

const withMilliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** How far clocks of this machine and of the platform may be apart. */
const clockSkew = 5 * 60_000;

/** Section 2, what all resources have. */
export const common: Chapter = {
  title: "2 Common fields",
  origin: "contract",
  sentences: [
    {
      id: "2.uid-unique",
      says: "`uid` is the unique resource identifier.",
      cases: [
        overBoth(async (world) => {
          const uids = (await world.makeGroups(20)).map(({ uid }) => uid);
          equal(new Set(uids).size, 20, "how many different uids 20 groups have");
        }),
      ],
    },
    {
      id: "2.uid-extends-parent",
      says: "A uid is a path of segments separated by `/`. A child's uid extends the uid path of its parent group.",
      cases: [
        overBoth(async (world) => {
          const group = await world.makeGroup();
          for (const child of [await world.makeGroup(group), await world.makeIdentity(group)]) {
            holds(child.startsWith(`${group}/`), "the uid of what is in a group", `${group}/ and a segment`, child);
            equal(child.slice(group.length + 1).split("/").length, 1, "how many segments a child adds");
          }
        }),
      ],
    },
    {
      id: "2.uid-of-built-in-role",
      says: "The uid of a built-in role is a single segment without `/`.",
      cases: [overBoth(async (world) => matches(await world.builtInRole("viewer"), /^[^/]+$/, "the uid of viewer"))],
    },
    {
      id: "2.create-time",
      says: "`createTime`: creation time, an RFC 3339 timestamp with milliseconds, UTC.",
      cases: [
        overRest("its form", async (world) => {
          const made = await world.make("groups", world.group, { name: "a" });
          matches(made.createTime, withMilliseconds, "createTime");
        }),
        overBoth("it is now, and stays", async (world) => {
          const made = await world.make("groups", world.group, { name: "a" });
          const distance = Math.abs(Date.parse(made.createTime) - Date.now());
          holds(distance < clockSkew, "createTime", "now, within five minutes", made.createTime);
          const updated = succeeded(await world.api.update("groups", made.uid, { description: "d" }));
          equal(updated.createTime, made.createTime, "createTime after an update");
        }),
      ],
    },
    {
      id: "2.update-time",
      says: "`updateTime`: last update time, an RFC 3339 timestamp.",
      cases: [
        overRest("its form", async (world) => {
          const made = await world.make("groups", world.group, { name: "a" });
          matches(made.updateTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, "updateTime");
        }),
        overBoth("it moves with an update", async (world) => {
          const made = await world.make("groups", world.group, { name: "a" });
          await setTimeout(20);
          const updated = succeeded(await world.api.update("groups", made.uid, { description: "d" }));
          const later = Date.parse(updated.updateTime) > Date.parse(made.updateTime);
          holds(later, "updateTime after an update", `later than ${made.updateTime}`, updated.updateTime);
          equal(
            succeeded(await world.api.get("groups", made.uid)).updateTime,
            updated.updateTime,
            "updateTime read again",
          );
        }),
      ],
    },
  ],
};
