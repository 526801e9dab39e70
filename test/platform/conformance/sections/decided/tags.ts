import { setTimeout } from "node:timers/promises";
import { TagsService } from "#src/platform/gen/muster/platform/registry/v2beta1/tag_pb.ts";
import type { Json, Query } from "../../client/api.ts";
import { detail, equal, has, holds, isChild, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { makeRepo } from "./repos.ts";

const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
const digest = digestOf("0");

/** Creates a repo in the case's group. */
const repoOf = async (world: World) => (await makeRepo(world)).uid;

const put = (world: World, repo: string, name: string, body: object = {}) =>
  world.make("tags", repo, { name, digest, ...body });

const namesOf = async (world: World, repo: string, query: object = {}) =>
  (await world.list("tags", { uidp: { childrenOf: repo }, orderBy: "name", ...query })).map(({ name }) => name);

/** Tags, in addition to the contract's List and Get. */
export const tags = decidedSection("Tags", [
  requirement(
    "tags.uid",
    "A tag is a child of its repo: its uid is the repo's uid, `/` and 16 lowercase hex digits.",
    overBoth(async (world) => {
      const repo = await repoOf(world);
      const { uid } = await put(world, repo, "latest");
      isChild(uid, repo);
      for (const uidp of [{ childrenOf: repo }, { descendantsOf: world.group }, { ids: [uid] }])
        equal((await world.list("tags", { uidp })).length, 1, `the number of tags by ${JSON.stringify(uidp)}`);
      equal(await world.list("tags", { uidp: { childrenOf: world.group } }), [], "the tags directly in the group");
    }),
  ),
  requirement(
    "tags.fields",
    "Fields: uid, name, digest, createTime, updateTime, deprecated, bundles.",
    overBoth("they are stored and returned", async (world) => {
      const repo = await repoOf(world);
      const body = { name: "1.2", digest, deprecated: true, bundles: ["a", "b"] };
      const made = await put(world, repo, "1.2", body);
      has(made, body, "the created tag");
      equal(succeeded(await world.api.get("tags", made.uid)), made, "the tag that Get returns");
      equal(await world.list("tags", { uidp: { childrenOf: repo } }), [made], "the repo's tags");
    }),
    overRest("zero values are present", async (world) => {
      const made = await put(world, await repoOf(world), "latest");
      const { uid, createTime, updateTime } = made;
      const all = { uid, name: "latest", digest, deprecated: false, bundles: [], createTime, updateTime };
      equal(made, all, "the tag");
    }),
  ),
  requirement(
    "tags.required",
    "`name` and `digest` are required; `name` must match the pattern of names.",
    overBoth(async (world) => {
      const repo = await repoOf(world);
      for (const [field, body] of [
        ["name", { digest }],
        ["name", { name: "Upper", digest }],
        ["digest", { name: "latest" }],
        ["digest", { name: "latest", digest: "latest" }],
        ["digest", { name: "latest", digest: `sha256:${"0".repeat(300)}` }],
      ] as const)
        rejected(await world.api.create("tags", repo, body), { code: 3, field }, `a Create with an invalid ${field}`);
      equal(await namesOf(world, repo), [], "the created resources");
    }),
  ),
  requirement(
    "tags.create-updates",
    "Create of a tag creates or updates it: names are unique in a repo.",
    overBoth("an existing tag", async (world) => {
      const repo = await repoOf(world);
      const first = await put(world, repo, "latest", { deprecated: true, bundles: ["a"] });
      const second = await put(world, repo, "latest", { digest: digestOf("1") });
      const { uid, createTime } = first;
      has(second, { uid, createTime, digest: digestOf("1"), deprecated: false, bundles: [] }, "the tag");
      holds(second.updateTime >= first.updateTime, "updateTime", `${first.updateTime} or later`, second.updateTime);
      equal(await world.list("tags", { uidp: { childrenOf: repo } }), [second], "the repo's tags");
    }),
    overBoth("the same name in another repo", async (world) => {
      const [one, other] = [await repoOf(world), await repoOf(world)];
      const first = await put(world, one, "latest");
      await put(world, other, "latest", { digest: digestOf("1") });
      equal(succeeded(await world.api.get("tags", first.uid)), first, "the first repo's tag");
    }),
  ),
  requirement(
    "tags.no-update",
    "Tags have no Update: code 12.",
    overRest("PATCH", async (world) => {
      const { uid } = await put(world, await repoOf(world), "latest");
      const path = `/registry/v2beta1/tags/${uid}`;
      const { status, text } = await world.rest.send("PATCH", path, { body: { digest: digestOf("1") } });
      equal(status, 501, "the HTTP status");
      has(JSON.parse(text), { code: 12 }, "the body");
      equal(succeeded(await world.rest.get("tags", uid))["digest"], digest, "the digest afterwards");
    }),
    overGrpc("UpdateTag", async (world) => {
      await repoOf(world);
      // The proto files do not have this method; the content of the request does not matter.
      const update = { ...TagsService.method.createTag, name: "UpdateTag", localName: "updateTag" };
      rejected(await world.grpc.send(update, {}), { code: 12 }, "an Update");
    }),
  ),
  requirement(
    "tags.delete",
    "Tags can be deleted; a second Delete is code 5.",
    overBoth(async (world) => {
      const repo = await repoOf(world);
      const { uid } = await put(world, repo, "latest");
      succeeded(await world.api.delete("tags", uid), "the first Delete");
      rejected(await world.api.delete("tags", uid), { code: 5, reason: "NOT_FOUND" }, "the second Delete");
      rejected(await world.api.get("tags", uid), { code: 5, reason: "NOT_FOUND" }, "a Get");
      const again = await put(world, repo, "latest");
      holds(again.uid !== uid, "the uid of a new tag with the same name", "a different uid", again.uid);
    }),
  ),
  requirement(
    "tags.parent",
    "The parent of a tag is a repo: any other parent, or a missing repo, is code 5.",
    overBoth(async (world) => {
      const repo = await repoOf(world);
      const { uid: tag } = await put(world, repo, "latest");
      for (const parent of [world.group, tag, `${repo}/${"0".repeat(16)}`, "nonsense"]) {
        const outcome = await world.api.create("tags", parent, { name: "a", digest });
        const failure = rejected(outcome, { code: 5, reason: "NOT_FOUND" }, `a tag in ${parent}`);
        has(detail(failure, "ResourceInfo"), { resourceType: "repo", resourceName: parent }, "ResourceInfo");
      }
      for (const [collection, uid] of [
        ["tags", repo],
        ["repos", tag],
      ] as const)
        rejected(
          await world.api.get(collection, uid),
          { code: 5 },
          `one of ${collection} by the uid of the other type`,
        );
    }),
  ),
  requirement(
    "tags.filter",
    "Filters of a List: `name`, `digest`, `updatedSince`.",
    overBoth("name and digest", async (world) => {
      const repo = await repoOf(world);
      await put(world, repo, "a");
      await put(world, repo, "b", { digest: digestOf("1") });
      await put(world, repo, "ba", { digest: digestOf("1") });
      equal(await namesOf(world, repo, { name: "b" }), ["b"], "the tags with the name");
      equal(await namesOf(world, repo, { digest: digestOf("1") }), ["b", "ba"], "the tags with the digest");
      equal(await namesOf(world, repo, { digest: digestOf("1"), name: "a" }), [], "the tags with both");
      equal(await namesOf(world, repo, { digest: "\0" }), [], "the tags with a digest that no tag can have");
    }),
    overBoth("updatedSince", async (world) => {
      const repo = await repoOf(world);
      const first = await put(world, repo, "a");
      const second = await laterThan(first, () => put(world, repo, "b"));
      const since = (updatedSince: string) => namesOf(world, repo, { updatedSince });
      equal(await since(first.updateTime), ["a", "b"], "the tags since the first one's updateTime");
      equal(await since(second.updateTime), ["b"], "the tags since the second one's updateTime");
      equal(await since("2999-01-01T00:00:00Z"), [], "the tags since a time in the future");
      const moved = await laterThan(second, () => put(world, repo, "a"));
      equal(await since(moved.updateTime), ["a"], "the tags since the first one's update");
    }),
    overRest("a value that is not a time", async ({ rest }) => {
      const outcome = await rest.list("tags", { updatedSince: "yesterday" });
      rejected(outcome, { code: 3, field: "updated_since" }, "a List");
    }),
  ),
  requirement(
    "tags.forms",
    "`includeReferrers`, `includeDates`, `includeEpochs`: if false, tags of the forms `sha256-…`, `…-20yymmdd`, `…-rN` are excluded.",
    overBoth("each includes its form", async (world) => {
      const repo = await repoOf(world);
      const forms = { includeReferrers: "sha256-0f3a.sig", includeDates: "1.2-20260131", includeEpochs: "1.2-r12" };
      for (const name of ["1.2", ...Object.values(forms)]) await put(world, repo, name);
      equal(await namesOf(world, repo), ["1.2"], "without any");
      for (const [include, name] of Object.entries(forms))
        equal(await namesOf(world, repo, { [include]: true }), ["1.2", name].toSorted(), `with ${include}`);
      const all = { includeReferrers: true, includeDates: true, includeEpochs: true };
      equal(await namesOf(world, repo, all), ["1.2", ...Object.values(forms)].toSorted(), "with all three");
      equal(await namesOf(world, repo, { name: "1.2-r12" }), [], "by the name of an excluded form");
      const [tag] = await world.list("tags", { uidp: { childrenOf: repo }, name: "1.2-r12", includeEpochs: true });
      const { api } = await world.caller("viewer", world.group, { scope: tag?.uid });
      const seen = async (query: Query) => succeeded(await api.list("tags", query)).totalCount;
      equal(await seen({}), "0", "totalCount with a token for the tag alone");
      equal(await seen({ includeEpochs: true }), "1", "totalCount with a token for the tag alone, with epochs");
    }),
    overBoth("names without such a form", async (world) => {
      const repo = await repoOf(world);
      const plain = ["sha256", "a-sha256-b", "latest-19990131", "latest-202601310", "20260131", "1.2-r", "1.2-rc1"];
      for (const name of plain) await put(world, repo, name);
      equal(await namesOf(world, repo), plain.toSorted(), "without any");
    }),
    overBoth("a name of two forms", async (world) => {
      const repo = await repoOf(world);
      await put(world, repo, "sha256-0f3a-20260131");
      equal(await namesOf(world, repo, { includeReferrers: true }), [], "with one of them");
      const both = { includeReferrers: true, includeDates: true };
      equal(await namesOf(world, repo, both), ["sha256-0f3a-20260131"], "with both");
    }),
    overBoth("totalCount does not count excluded tags", async (world) => {
      const repo = await repoOf(world);
      for (const name of ["a", "a-r1", "a-r2"]) await put(world, repo, name);
      const counted = async (query: object) =>
        succeeded(await world.api.list("tags", { uidp: { childrenOf: repo }, ...query })).totalCount;
      equal(await counted({}), "1", "totalCount without any");
      equal(await counted({ includeEpochs: true }), "3", "totalCount with epochs");
      const below = async () =>
        succeeded(await world.api.list("tags", { uidp: { descendantsOf: world.group }, pageSize: 1 })).totalCount;
      const [plain, dated] = [await put(world, repo, "b"), await put(world, repo, "b-20260201")];
      equal(await below(), "2", "totalCount below the group, of which one form was created");
      succeeded(await world.api.delete("tags", dated.uid));
      equal(await below(), "2", "totalCount after that was deleted");
      succeeded(await world.api.delete("tags", plain.uid));
      equal(await below(), "1", "totalCount after the other one was deleted");
    }),
    overBoth("a page token is bound to them", async (world) => {
      const repo = await repoOf(world);
      for (const name of ["a", "b"]) await put(world, repo, name);
      const query = { uidp: { childrenOf: repo }, pageSize: 1 };
      const { nextPageToken: pageToken = "" } = succeeded(await world.api.list("tags", query));
      const other = await world.api.list("tags", { ...query, pageToken, includeDates: true });
      rejected(other, { code: 3, field: "page_token" }, "the token with another form");
    }),
  ),
  requirement(
    "tags.order",
    "Order: `uid asc` by default; `name` and the times are sortable.",
    overBoth(async (world) => {
      const repo = await repoOf(world);
      for (const name of ["c", "a", "b"]) await put(world, repo, name);
      const uids = (await world.list("tags", { uidp: { childrenOf: repo } })).map(({ uid }) => uid);
      equal(uids, uids.toSorted(), "the uids by default");
      equal(await namesOf(world, repo, { orderBy: "name desc" }), ["c", "b", "a"], "the names");
      const times = await world.list("tags", { uidp: { childrenOf: repo }, orderBy: "updated_at desc" });
      const sorted = times.map(({ updateTime }) => updateTime);
      equal(sorted, sorted.toSorted().toReversed(), "the times");
    }),
    overBoth("across pages", async (world) => {
      const repo = await repoOf(world);
      for (const name of ["a", "b", "c", "d", "e", "a"]) {
        await put(world, repo, name);
        // Times have milliseconds.
        await setTimeout(10);
      }
      for (const [orderBy, expected] of [
        ["name", "abcde"],
        ["name desc", "edcba"],
        ["created_at desc", "edcba"],
        ["updated_at desc", "aedcb"],
      ] as const) {
        let names = "";
        for (let pageToken: string | undefined = ""; pageToken !== undefined; ) {
          const query = { uidp: { childrenOf: repo }, pageSize: 2, orderBy, pageToken };
          const page: Json = succeeded(await world.api.list("tags", query));
          names += (page["tags"] as readonly Json[]).map(({ name }) => name).join("");
          pageToken = page.nextPageToken === "" ? undefined : page.nextPageToken;
        }
        equal(names, expected, `the names by ${orderBy}`);
      }
    }),
  ),
]);

/** Repeats a Create until its updateTime is later than the other tag's: times have milliseconds. */
async function laterThan(before: Json, make: () => Promise<Json>): Promise<Json> {
  for (let tries = 1; ; tries++) {
    const made = await make();
    if (made.updateTime > before.updateTime) return made;
    holds(tries < 1_000, "updateTime", `a time after ${before.updateTime}`, made.updateTime);
  }
}
