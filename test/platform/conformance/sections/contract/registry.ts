import { equal, has, matches, Skip, succeeded } from "../../expect.ts";
import { contractSection, overBoth, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

/** Creates a repo in a child of the case's group. @throws {Skip} if the platform cannot create repos */
async function repoBelow(world: World, name: string) {
  const made = await world.api.create("repos", await world.makeGroup(), { name });
  if (!made.ok) throw new Skip("this platform cannot create repos");
  return made.body;
}

/** Sections 2 (Repo, other resources) and 4.5. */
export const registry = contractSection("4.5 Registry", [
  requirement(
    "2.repo.fields",
    "Fields shown: `uid`, `name` (string), `createTime`.",
    overBoth(async (world) => {
      const { uid } = await repoBelow(world, "shop");
      const repo = succeeded(await world.api.get("repos", uid));
      has(repo, { uid, name: "shop" }, "the repo");
      matches(repo.createTime, /^\d{4}-\d\d-\d\dT/, "createTime");
    }),
  ),
  untested(
    "2.others",
    "The resources Tags, Advisories, IdentityProviders, AccountAssociations and GroupInvites exist. Their fields: not shown.",
    "the contract leaves their fields open; each has a section of its own below; 4.8 covers that they exist",
  ),
  requirement(
    "4.5.list",
    "`GET /registry/v2beta1/repos` returns the list envelope with `repos` (`uidp.descendants_of` is used in the scope filter).",
    overBoth(async (world) => {
      const { uid } = await repoBelow(world, "shop");
      const uidp = { descendantsOf: world.group };
      const page = succeeded(await world.api.list("repos", { uidp }));
      has(page, { totalCount: "1", skipped: 0 }, "the envelope");
      const repos = page["repos"] as readonly { uid: string }[];
      equal(
        repos.map((repo) => repo.uid),
        [uid],
        "repos",
      );
    }),
  ),
]);
