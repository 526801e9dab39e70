import { holds, matches, refused } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

/** What of hosting a platform can be seen from outside. */
export const hosting: Chapter = {
  title: "Hosting",
  origin: "decided",
  sentences: [
    {
      id: "hosting.first-start",
      says: "The first start makes the root group and an admin token.",
      cases: [
        overBoth("the admin sees a root group", async (world) => {
          const roots = await world.rows("groups", { uidp: { inRoot: true } });
          holds(roots.length > 0, "the root groups", "one at least", roots);
          for (const { uid } of roots) matches(uid, /^[^/]+$/, "the uid of a root group");
        }),
        overBoth("nothing but the whole token is the admin's", async (world) => {
          const { token } = world.target;
          for (const other of [token.slice(0, -1), `${token}x`, token.slice(1), `${token.slice(0, -4)}AAAA`])
            refused(await world.as(other).get("groups", world.group), { code: 16 }, "a call with a token like it");
        }),
      ],
    },
    {
      id: "hosting.once",
      says: "The first start does so once, under a lock across replicas; the admin token is kept hashed, and rotated by a command.",
      untried: "nobody outside sees a platform's first start; our own platform's tests start some, several at once",
    },
    {
      id: "hosting.at-rest",
      says: "Signing keys and client secrets are encrypted at rest under a key file, and are not in a backup without it.",
      untried: "what is at rest is not seen from outside; our own platform's tests read its files",
    },
    {
      id: "hosting.rate-limits",
      says: "Rate limits are off by default.",
      untried: "as 8.rate-limits",
    },
  ],
};
