import { equal, holds, matches } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

const milliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Section 2, what all resources have. */
export const common: Chapter = {
  title: "2 Common fields",
  origin: "contract",
  sentences: [
    {
      id: "2.uid-extends-parent",
      says: "A uid is a path of segments separated by `/`. A child's uid extends the uid path of its parent group.",
      cases: [
        overBoth(async (world) => {
          const child = await world.makeGroup();
          holds(child.startsWith(`${world.group}/`), "the uid of a group", `${world.group}/ and a segment`, child);
          const segments = child.slice(world.group.length + 1).split("/");
          equal(segments.length, 1, "how many segments a child adds");
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
      says: "`createTime`: RFC 3339 timestamp with milliseconds, UTC.",
      cases: [
        overRest(async (world) => {
          const made = await world.make("groups", world.group, { name: "a" });
          matches(made.createTime, milliseconds, "createTime");
        }),
      ],
    },
  ],
};
