import { holds, matches, rejected } from "../../expect.ts";
import { coveredBy, decidedSection, overBoth, requirement, untested } from "../../requirement.ts";

/** The requirements on hosting that a client can check. */
export const hosting = decidedSection("Hosting", [
  requirement(
    "hosting.initialization",
    "The first start creates the root group and an admin token.",
    overBoth("the admin sees a root group", async (world) => {
      const roots = await world.list("groups", { uidp: { inRoot: true } });
      holds(roots.length > 0, "the root groups", "at least one", roots);
      for (const { uid } of roots) matches(uid, /^[^/]+$/, "the uid of a root group");
    }),
    overBoth("parts and variants of the admin token are invalid", async (world) => {
      const { token } = world.target;
      for (const other of [token.slice(0, -1), `${token}x`, token.slice(1), `${token.slice(0, -4)}AAAA`])
        rejected(await world.as(other).get("groups", world.group), { code: 16 }, "a call with a variant of the token");
    }),
  ),
  untested(
    "hosting.once",
    "Initialization runs once, under a lock across replicas; the admin token is stored hashed, and a command rotates it.",
    "no client can observe the first start; covered by the tests of this project's platform",
  ),
  untested(
    "hosting.init-file",
    "`--init-file` declares the root group's name and uid, and identities that are bound there; on a database that is not empty it is compared, never applied.",
    "no client can choose the settings of the first start; covered by the tests of this project's platform",
  ),
  untested(
    "hosting.at-rest",
    "Signing keys and client secrets are encrypted at rest under a key file; without it, a backup does not disclose them.",
    "no client can read the stored data; covered by the tests of this project's platform",
  ),
  coveredBy("hosting.rate-limits", "Rate limits are off by default.", "8.rate-limits"),
]);
