import { equal, holds, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

/** Sections 2 and 4.1, groups. */
export const groups: Chapter = {
  title: "4.1 Groups",
  origin: "contract",
  sentences: [
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
      id: "4.1.delete",
      says: "DELETE of a group: empty body on success.",
      cases: [
        overBoth(async (world) => {
          const uid = await world.makeGroup();
          const body = succeeded(await world.api.delete("groups", uid), "deleting an empty group");
          // Some platforms answer an empty object, and clients take both.
          holds(body === undefined || Object.keys(body).length === 0, "the body of the answer", "nothing, or {}", body);
          refused(await world.api.get("groups", uid), { code: 5 }, "reading it again");
        }),
      ],
    },
    {
      id: "4.1.see",
      says: "A caller sees the groups that its bindings cover.",
      cases: [
        overBoth(async (world) => {
          const [seen, other] = [await world.makeGroup(), await world.makeGroup()];
          const { api } = await world.caller("viewer", seen);
          succeeded(await api.get("groups", seen), "reading the group that it is bound in");
          refused(await api.get("groups", other), { code: 5 }, "reading another group");
        }),
      ],
    },
  ],
};
