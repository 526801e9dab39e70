import { setTimeout } from "node:timers/promises";
import type { Json } from "../../client/api.ts";
import { equal, has, holds, isChild, rejected, Skip, succeeded, violationsOf } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { rejectsMaskPaths } from "./rejected-mask-paths.ts";

const tiers = ["UNSPECIFIED", "APPLICATION", "BASE", "FIPS", "AI", "DEVTOOLS", "COMMERCIAL"];

/** Creates a repo, by default in the case's own group. @throws {Skip} if the platform has no method for it */
export async function makeRepo(world: World, body: object = {}, group = world.group): Promise<Json> {
  const made = await world.api.create("repos", group, { name: world.name(), ...body });
  if (!made.ok && made.failure.code === 12) throw new Skip("this platform cannot create repos");
  return succeeded(made, "creating a repo");
}

/** Repos, in addition to the contract's List and Get. */
export const repos = decidedSection("Repos", [
  requirement(
    "repos.uid",
    "A repo's uid is its group's uid, `/` and 16 lowercase hex digits.",
    overBoth(async (world) => {
      const { uid } = await makeRepo(world);
      isChild(uid, world.group);
    }),
  ),
  requirement(
    "repos.methods",
    "Create, Update and Delete of repos, in addition to the contract's table.",
    overBoth(async (world) => {
      const { uid, name, createTime } = await makeRepo(world, { description: "before" });
      await setTimeout(20);
      const updated = succeeded(await world.api.update("repos", uid, { description: "after" }), "an Update");
      has(updated, { uid, name, description: "after", createTime }, "the repo after an update");
      const later = Date.parse(updated.updateTime) > Date.parse(createTime);
      holds(later, "updateTime after an update", `later than ${createTime}`, updated.updateTime);
      equal(succeeded(await world.api.get("repos", uid)), updated, "the repo that Get returns");
      succeeded(await world.api.delete("repos", uid), "a Delete");
      rejected(await world.api.get("repos", uid), { code: 5 }, "a Get after the Delete");
    }),
  ),
  requirement(
    "repos.fields",
    "Fields: uid, name, description, catalogTier (an enum), bundles, aliases, activeTags, createTime, updateTime.",
    overBoth("they are stored and returned", async (world) => {
      const body = {
        name: "shop",
        description: "d",
        catalogTier: "CATALOG_TIER_BASE",
        bundles: ["a", "b"],
        aliases: ["other"],
        activeTags: ["1.2", "latest"],
      };
      const made = await makeRepo(world, body);
      has(made, body, "the created repo");
      equal(succeeded(await world.api.get("repos", made.uid)), made, "the repo that Get returns");
      equal(await world.list("repos", { uidp: { childrenOf: world.group } }), [made], "the group's repos");
    }),
    overRest("zero values are present", async (world) => {
      const made = await makeRepo(world);
      const { uid, name, createTime, updateTime } = made;
      const lists = { bundles: [], aliases: [], activeTags: [] };
      const all = { uid, name, description: "", catalogTier: "CATALOG_TIER_UNSPECIFIED", ...lists };
      equal(made, { ...all, createTime, updateTime }, "the repo");
    }),
  ),
  requirement(
    "repos.catalog-tier",
    "`catalogTier` is one of `CATALOG_TIER_` UNSPECIFIED, APPLICATION, BASE, FIPS, AI, DEVTOOLS, COMMERCIAL.",
    overBoth("each of them", async (world) => {
      for (const catalogTier of tiers.map((tier) => `CATALOG_TIER_${tier}`))
        equal((await makeRepo(world, { catalogTier }))["catalogTier"], catalogTier, "catalogTier");
    }),
    overRest("another value", async (world) => {
      await makeRepo(world);
      for (const catalogTier of ["BASE", "CATALOG_TIER_GOLD", "catalog_tier_base"]) {
        const outcome = await world.rest.create("repos", world.group, { name: "a", catalogTier });
        rejected(outcome, { code: 3, field: "catalogTier" }, `a repo with catalogTier=${catalogTier}`);
      }
    }),
  ),
  requirement(
    "repos.name",
    "`name` is required and must match the pattern of names.",
    overBoth(async (world) => {
      const { uid } = await makeRepo(world);
      const error = { code: 3, field: "name" };
      for (const body of [{}, { name: "" }, { name: "Upper" }, { name: "a/b" }])
        rejected(await world.api.create("repos", world.group, body), error, `a Create of ${JSON.stringify(body)}`);
      rejected(await world.api.update("repos", uid, {}, ["name"]), error, "resetting the name");
    }),
    overRest("an update to an empty name", async (world) => {
      const { uid } = await makeRepo(world);
      rejected(await world.rest.update("repos", uid, { name: "" }), { code: 3, field: "name" }, "an update");
    }),
  ),
  requirement(
    "repos.update",
    "An update changes the fields that the mask lists, or without a mask those present; lists are replaced as a whole.",
    overBoth("with a mask", async (world) => {
      const { uid, name } = await makeRepo(world, { description: "d", bundles: ["a"], aliases: ["b"] });
      const body = { name: "ignored", bundles: ["c", "d"] };
      const updated = succeeded(await world.api.update("repos", uid, body, ["bundles", "aliases"]));
      has(updated, { name, description: "d", bundles: ["c", "d"], aliases: [] }, "the repo");
    }),
    overBoth("without a mask", async (world) => {
      const { uid, name } = await makeRepo(world, { description: "d", bundles: ["a"], aliases: ["b"] });
      const body = { catalogTier: "CATALOG_TIER_AI", bundles: ["c"] };
      const updated = succeeded(await world.api.update("repos", uid, body));
      has(updated, { name, description: "d", ...body, aliases: ["b"] }, "the repo");
    }),
    overBoth("full replacement", async (world) => {
      const made = await makeRepo(world, { description: "d", catalogTier: "CATALOG_TIER_AI", bundles: ["a"] });
      const replaced = succeeded(await world.api.update("repos", made.uid, { name: "other" }, ["*"]));
      const { updateTime } = replaced;
      const reset = { description: "", catalogTier: "CATALOG_TIER_UNSPECIFIED", bundles: [] };
      equal(replaced, { ...made, name: "other", ...reset, updateTime }, "the repo");
    }),
    overBoth("read-only fields", async (world) => {
      const { uid } = await makeRepo(world);
      await rejectsMaskPaths(world, "repos", uid, ["uid", "create_time", "update_time", "bundles.0"]);
    }),
  ),
  requirement(
    "repos.filter",
    "Filter of a List: `name`.",
    overBoth(async (world) => {
      const wanted = await makeRepo(world, { name: "wanted" });
      await makeRepo(world, { name: "wanted-not" });
      const query = { uidp: { descendantsOf: world.group }, name: "wanted" };
      equal(await world.list("repos", query), [wanted], "the repos with the name");
    }),
  ),
  requirement(
    "repos.not-empty",
    "Deleting a repo with tags: 9, RESOURCE_NOT_EMPTY, `cannot delete repo with child tags`.",
    overBoth(async (world) => {
      const { uid } = await makeRepo(world);
      const tag = await world.make("tags", uid, { name: "latest", digest: `sha256:${"0".repeat(64)}` });
      const error = { code: 9, reason: "FAILED_PRECONDITION", violation: "RESOURCE_NOT_EMPTY" };
      const failure = rejected(await world.api.delete("repos", uid), error, "deleting a repo with a tag");
      const [violation] = violationsOf(failure, "PreconditionFailure");
      equal(violation?.description, "cannot delete repo with child tags", "the description");
      succeeded(await world.api.delete("tags", tag.uid), "deleting the tag");
      succeeded(await world.api.delete("repos", uid), "deleting the repo without tags");
    }),
  ),
  requirement(
    "repos.missing",
    "A missing repo is code 5, and so is a second Delete.",
    overBoth(async (world) => {
      const { uid } = await makeRepo(world);
      succeeded(await world.api.delete("repos", uid), "the first Delete");
      rejected(await world.api.delete("repos", uid), { code: 5, reason: "NOT_FOUND" }, "the second Delete");
      rejected(await world.api.get("repos", uid), { code: 5, reason: "NOT_FOUND" }, "a Get");
      rejected(await world.api.update("repos", uid, {}), { code: 5 }, "an Update");
      rejected(await world.api.create("repos", uid, { name: "a" }), { code: 5 }, "a Create with it as the parent");
    }),
  ),
]);
