import type { Json } from "../../client/api.ts";
import { equal, has, matches, refused, Skip, succeeded, violationsOf } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";

const tiers = ["UNSPECIFIED", "APPLICATION", "BASE", "FIPS", "AI", "DEVTOOLS", "COMMERCIAL"];

/** A repo, by default in the case's own group. @throws Skip where the platform has no method for it */
export async function makeRepo(world: World, body: object = {}, group = world.group): Promise<Json> {
  const made = await world.api.create("repos", group, { name: world.name(), ...body });
  if (!made.ok && made.failure.code === 12) throw new Skip("this platform lets nobody make a repo");
  return succeeded(made, "making a repo");
}

/** Repos, beyond List and Get of the contract. */
export const repos: Chapter = {
  title: "Repos",
  origin: "decided",
  sentences: [
    {
      id: "repos.uid",
      says: "A repo's uid is its group's uid, `/` and 16 lowercase hex digits.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeRepo(world);
          equal(uid.slice(0, world.group.length), world.group, "the group's part of the uid");
          matches(uid.slice(world.group.length), /^\/[0-9a-f]{16}$/, "its own part");
        }),
      ],
    },
    {
      id: "repos.methods",
      says: "Create, Update and Delete of repos, beyond the contract's table.",
      cases: [
        overBoth(async (world) => {
          const { uid, name, createTime } = await makeRepo(world, { description: "before" });
          const updated = succeeded(await world.api.update("repos", uid, { description: "after" }), "an Update");
          has(updated, { uid, name, description: "after", createTime }, "the repo after an update");
          equal(succeeded(await world.api.get("repos", uid)), updated, "the repo as it is read");
          succeeded(await world.api.delete("repos", uid), "a Delete");
          refused(await world.api.get("repos", uid), { code: 5 }, "reading it afterwards");
        }),
      ],
    },
    {
      id: "repos.fields",
      says: "Fields: uid, name, description, catalogTier (an enum), bundles, aliases, activeTags, createTime, updateTime.",
      cases: [
        overBoth("they are kept", async (world) => {
          const body = {
            name: "shop",
            description: "d",
            catalogTier: "CATALOG_TIER_BASE",
            bundles: ["a", "b"],
            aliases: ["other"],
            activeTags: ["1.2", "latest"],
          };
          const made = await makeRepo(world, body);
          has(made, body, "the repo that was made");
          equal(succeeded(await world.api.get("repos", made.uid)), made, "the repo as it is read");
          equal(await world.rows("repos", { uidp: { childrenOf: world.group } }), [made], "the group's repos");
        }),
        overRest("zero values are written out", async (world) => {
          const made = await makeRepo(world);
          const { uid, name, createTime, updateTime } = made;
          const lists = { bundles: [], aliases: [], activeTags: [] };
          const all = { uid, name, description: "", catalogTier: "CATALOG_TIER_UNSPECIFIED", ...lists };
          equal(made, { ...all, createTime, updateTime }, "the repo");
        }),
      ],
    },
    {
      id: "repos.catalog-tier",
      says: "`catalogTier` is one of `CATALOG_TIER_` UNSPECIFIED, APPLICATION, BASE, FIPS, AI, DEVTOOLS, COMMERCIAL.",
      cases: [
        overBoth("each", async (world) => {
          for (const catalogTier of tiers.map((tier) => `CATALOG_TIER_${tier}`))
            equal((await makeRepo(world, { catalogTier }))["catalogTier"], catalogTier, "catalogTier");
        }),
        overRest("another", async (world) => {
          await makeRepo(world);
          for (const catalogTier of ["BASE", "CATALOG_TIER_GOLD", "catalog_tier_base"]) {
            const outcome = await world.rest.create("repos", world.group, { name: "a", catalogTier });
            refused(outcome, { code: 3, field: "catalogTier" }, `a repo of the tier ${catalogTier}`);
          }
        }),
      ],
    },
    {
      id: "repos.name",
      says: "`name` is required, and matches the pattern of names.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeRepo(world);
          const refusal = { code: 3, field: "name" };
          for (const body of [{}, { name: "" }, { name: "Upper" }, { name: "a/b" }])
            refused(
              await world.api.create("repos", world.group, body),
              refusal,
              `making one from ${JSON.stringify(body)}`,
            );
          refused(await world.api.update("repos", uid, {}, ["name"]), refusal, "resetting the name");
        }),
      ],
    },
    {
      id: "repos.update",
      says: "An update changes the fields that the mask lists, or that are present; lists are replaced whole.",
      cases: [
        overBoth("with a mask", async (world) => {
          const { uid, name } = await makeRepo(world, { description: "d", bundles: ["a"], aliases: ["b"] });
          const body = { name: "ignored", bundles: ["c", "d"] };
          const updated = succeeded(await world.api.update("repos", uid, body, ["bundles", "aliases"]));
          has(updated, { name, description: "d", bundles: ["c", "d"], aliases: [] }, "the repo");
        }),
        overBoth("without one", async (world) => {
          const { uid, name } = await makeRepo(world, { description: "d", bundles: ["a"], aliases: ["b"] });
          const body = { catalogTier: "CATALOG_TIER_AI", bundles: ["c"] };
          const updated = succeeded(await world.api.update("repos", uid, body));
          has(updated, { name, description: "d", ...body, aliases: ["b"] }, "the repo");
        }),
        overBoth("the whole", async (world) => {
          const made = await makeRepo(world, { description: "d", catalogTier: "CATALOG_TIER_AI", bundles: ["a"] });
          const replaced = succeeded(await world.api.update("repos", made.uid, { name: "other" }, ["*"]));
          const { updateTime } = replaced;
          const reset = { description: "", catalogTier: "CATALOG_TIER_UNSPECIFIED", bundles: [] };
          equal(replaced, { ...made, name: "other", ...reset, updateTime }, "the repo");
        }),
        overBoth("what the platform sets", async (world) => {
          const { uid } = await makeRepo(world);
          const refusal = { code: 3, field: "update_mask" };
          for (const path of ["uid", "create_time", "update_time", "bundles.0"])
            refused(await world.api.update("repos", uid, {}, [path]), refusal, `an update of ${path}`);
        }),
      ],
    },
    {
      id: "repos.filter",
      says: "Filter of a List: `name`.",
      cases: [
        overBoth(async (world) => {
          const wanted = await makeRepo(world, { name: "wanted" });
          await makeRepo(world, { name: "wanted-not" });
          const query = { uidp: { descendantsOf: world.group }, name: "wanted" };
          equal(await world.rows("repos", query), [wanted], "those of a name");
        }),
      ],
    },
    {
      id: "repos.not-empty",
      says: "Deleting a repo with tags: 9, RESOURCE_NOT_EMPTY, `cannot delete repo with child tags`.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeRepo(world);
          const tag = await world.make("tags", uid, { name: "latest", digest: `sha256:${"0".repeat(64)}` });
          const refusal = { code: 9, reason: "FAILED_PRECONDITION", violation: "RESOURCE_NOT_EMPTY" };
          const failure = refused(await world.api.delete("repos", uid), refusal, "deleting a repo with a tag");
          const [violation] = violationsOf(failure, "PreconditionFailure");
          equal(violation?.description, "cannot delete repo with child tags", "the description");
          succeeded(await world.api.delete("tags", tag.uid), "deleting the tag");
          succeeded(await world.api.delete("repos", uid), "deleting the repo then");
        }),
      ],
    },
    {
      id: "repos.missing",
      says: "A missing repo is code 5, and so is a second DELETE.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeRepo(world);
          succeeded(await world.api.delete("repos", uid), "the first time");
          refused(await world.api.delete("repos", uid), { code: 5, reason: "NOT_FOUND" }, "the second time");
          refused(await world.api.get("repos", uid), { code: 5, reason: "NOT_FOUND" }, "reading it");
          refused(await world.api.update("repos", uid, {}), { code: 5 }, "an update of it");
          refused(await world.api.create("repos", uid, { name: "a" }), { code: 5 }, "making one in it");
        }),
      ],
    },
  ],
};
