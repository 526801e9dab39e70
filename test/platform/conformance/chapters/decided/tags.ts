import { TagsService } from "#src/platform/gen/muster/platform/registry/v2beta1/tag_pb.ts";
import type { Json } from "../../client/api.ts";
import { equal, has, holds, matches, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overGrpc, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";
import { makeRepo } from "./repos.ts";

const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
const digest = digestOf("0");

/** A repo of the case's own. */
const repoOf = async (world: World) => (await makeRepo(world)).uid;

const put = (world: World, repo: string, name: string, body: object = {}) =>
  world.make("tags", repo, { name, digest, ...body });

const namesOf = async (world: World, repo: string, query: object = {}) =>
  (await world.rows("tags", { uidp: { childrenOf: repo }, orderBy: "name", ...query })).map(({ name }) => name);

/** Tags, beyond List and Get of the contract. */
export const tags: Chapter = {
  title: "Tags",
  origin: "decided",
  sentences: [
    {
      id: "tags.uid",
      says: "A tag is under its repo: its uid is the repo's, `/` and 16 lowercase hex digits.",
      cases: [
        overBoth(async (world) => {
          const repo = await repoOf(world);
          const { uid } = await put(world, repo, "latest");
          equal(uid.slice(0, repo.length), repo, "the repo's part of the uid");
          matches(uid.slice(repo.length), /^\/[0-9a-f]{16}$/, "its own part");
          for (const uidp of [{ childrenOf: repo }, { descendantsOf: world.group }, { ids: [uid] }])
            equal((await world.rows("tags", { uidp })).length, 1, `how many there are by ${JSON.stringify(uidp)}`);
          equal(await world.rows("tags", { uidp: { childrenOf: world.group } }), [], "the tags directly in the group");
        }),
      ],
    },
    {
      id: "tags.fields",
      says: "Fields: uid, name, digest, createTime, updateTime, deprecated, bundles.",
      cases: [
        overBoth("they are kept", async (world) => {
          const repo = await repoOf(world);
          const body = { name: "1.2", digest, deprecated: true, bundles: ["a", "b"] };
          const made = await put(world, repo, "1.2", body);
          has(made, body, "the tag that was made");
          equal(succeeded(await world.api.get("tags", made.uid)), made, "the tag as it is read");
          equal(await world.rows("tags", { uidp: { childrenOf: repo } }), [made], "the repo's tags");
        }),
        overRest("zero values are written out", async (world) => {
          const made = await put(world, await repoOf(world), "latest");
          const { uid, createTime, updateTime } = made;
          const all = { uid, name: "latest", digest, deprecated: false, bundles: [], createTime, updateTime };
          equal(made, all, "the tag");
        }),
      ],
    },
    {
      id: "tags.required",
      says: "`name` and `digest` are required; a name matches the pattern of names.",
      cases: [
        overBoth(async (world) => {
          const repo = await repoOf(world);
          for (const [field, body] of [
            ["name", { digest }],
            ["name", { name: "Upper", digest }],
            ["digest", { name: "latest" }],
          ] as const)
            refused(
              await world.api.create("tags", repo, body),
              { code: 3, field },
              `making a tag with a wrong ${field}`,
            );
          equal(await namesOf(world, repo), [], "what was made");
        }),
      ],
    },
    {
      id: "tags.create-updates",
      says: "Create of a tag creates or updates it: one name is one tag of its repo.",
      cases: [
        overBoth("it moves", async (world) => {
          const repo = await repoOf(world);
          const first = await put(world, repo, "latest", { deprecated: true, bundles: ["a"] });
          const second = await put(world, repo, "latest", { digest: digestOf("1") });
          const { uid, createTime } = first;
          has(second, { uid, createTime, digest: digestOf("1"), deprecated: false, bundles: [] }, "the tag");
          holds(second.updateTime >= first.updateTime, "updateTime", `${first.updateTime} or later`, second.updateTime);
          equal(await world.rows("tags", { uidp: { childrenOf: repo } }), [second], "the repo's tags");
        }),
        overBoth("another repo has its own", async (world) => {
          const [one, other] = [await repoOf(world), await repoOf(world)];
          const first = await put(world, one, "latest");
          await put(world, other, "latest", { digest: digestOf("1") });
          equal(succeeded(await world.api.get("tags", first.uid)), first, "the tag of the first repo");
        }),
      ],
    },
    {
      id: "tags.no-update",
      says: "Tags have no Update: code 12.",
      cases: [
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
          // There is none that the request could be made from; whatever it says, nobody reads it.
          const update = { ...TagsService.method.createTag, name: "UpdateTag", localName: "updateTag" };
          refused(await world.grpc.send(update, {}), { code: 12 }, "an Update");
        }),
      ],
    },
    {
      id: "tags.delete",
      says: "Delete of tags; a second DELETE is code 5.",
      cases: [
        overBoth(async (world) => {
          const repo = await repoOf(world);
          const { uid } = await put(world, repo, "latest");
          succeeded(await world.api.delete("tags", uid), "the first time");
          refused(await world.api.delete("tags", uid), { code: 5, reason: "NOT_FOUND" }, "the second time");
          refused(await world.api.get("tags", uid), { code: 5, reason: "NOT_FOUND" }, "reading it");
          const again = await put(world, repo, "latest");
          holds(again.uid !== uid, "the uid of one of the same name", "another one", again.uid);
        }),
      ],
    },
    {
      id: "tags.parent",
      says: "A tag is made in a repo: what is none, or is missing, is code 5.",
      cases: [
        overBoth(async (world) => {
          const repo = await repoOf(world);
          for (const parent of [world.group, `${repo}/${"0".repeat(16)}`, "nonsense"])
            refused(await world.api.create("tags", parent, { name: "a", digest }), { code: 5 }, `a tag in ${parent}`);
        }),
      ],
    },
    {
      id: "tags.filter",
      says: "Filters of a List: `name`, `digest`, `updatedSince`.",
      cases: [
        overBoth("name and digest", async (world) => {
          const repo = await repoOf(world);
          await put(world, repo, "a");
          await put(world, repo, "b", { digest: digestOf("1") });
          await put(world, repo, "ba", { digest: digestOf("1") });
          equal(await namesOf(world, repo, { name: "b" }), ["b"], "those of a name");
          equal(await namesOf(world, repo, { digest: digestOf("1") }), ["b", "ba"], "those of a digest");
          equal(await namesOf(world, repo, { digest: digestOf("1"), name: "a" }), [], "those of both");
        }),
        overBoth("updatedSince", async (world) => {
          const repo = await repoOf(world);
          const first = await put(world, repo, "a");
          const second = await laterThan(first, () => put(world, repo, "b"));
          const since = (updatedSince: string) => namesOf(world, repo, { updatedSince });
          equal(await since(first.updateTime), ["a", "b"], "those since the first");
          equal(await since(second.updateTime), ["b"], "those since the second");
          equal(await since("2999-01-01T00:00:00Z"), [], "those since a day to come");
          const moved = await laterThan(second, () => put(world, repo, "a"));
          equal(await since(moved.updateTime), ["a"], "those since the first was made again");
        }),
        overRest("what is no time", async ({ rest }) => {
          const outcome = await rest.list("tags", { updatedSince: "yesterday" });
          refused(outcome, { code: 3 }, "a List");
        }),
      ],
    },
    {
      id: "tags.forms",
      says: "`includeReferrers`, `includeDates`, `includeEpochs`: false hides tags of the forms `sha256-…`, `…-20yymmdd`, `…-rN`.",
      cases: [
        overBoth("each shows its own", async (world) => {
          const repo = await repoOf(world);
          const forms = { includeReferrers: "sha256-0f3a.sig", includeDates: "1.2-20260131", includeEpochs: "1.2-r12" };
          for (const name of ["1.2", ...Object.values(forms)]) await put(world, repo, name);
          equal(await namesOf(world, repo), ["1.2"], "without any");
          for (const [include, name] of Object.entries(forms))
            equal(await namesOf(world, repo, { [include]: true }), ["1.2", name].toSorted(), `with ${include}`);
          const all = { includeReferrers: true, includeDates: true, includeEpochs: true };
          equal(await namesOf(world, repo, all), ["1.2", ...Object.values(forms)].toSorted(), "with all three");
        }),
        overBoth("names that are of none", async (world) => {
          const repo = await repoOf(world);
          const plain = ["sha256", "a-sha256-b", "latest-19990131", "latest-202601310", "20260131", "1.2-r", "1.2-rc1"];
          for (const name of plain) await put(world, repo, name);
          equal(await namesOf(world, repo), plain.toSorted(), "without any");
        }),
        overBoth("a name of two", async (world) => {
          const repo = await repoOf(world);
          await put(world, repo, "sha256-0f3a-20260131");
          equal(await namesOf(world, repo, { includeReferrers: true }), [], "with one of them");
          const both = { includeReferrers: true, includeDates: true };
          equal(await namesOf(world, repo, both), ["sha256-0f3a-20260131"], "with both");
        }),
        overBoth("totalCount counts what is shown", async (world) => {
          const repo = await repoOf(world);
          for (const name of ["a", "a-r1", "a-r2"]) await put(world, repo, name);
          const counted = async (query: object) =>
            succeeded(await world.api.list("tags", { uidp: { childrenOf: repo }, ...query })).totalCount;
          equal(await counted({}), "1", "totalCount without any");
          equal(await counted({ includeEpochs: true }), "3", "totalCount with epochs");
        }),
      ],
    },
    {
      id: "tags.order",
      says: "Order: `uid asc` by default; by `name` and by times.",
      cases: [
        overBoth(async (world) => {
          const repo = await repoOf(world);
          for (const name of ["c", "a", "b"]) await put(world, repo, name);
          const uids = (await world.rows("tags", { uidp: { childrenOf: repo } })).map(({ uid }) => uid);
          equal(uids, uids.toSorted(), "the uids by default");
          equal(await namesOf(world, repo, { orderBy: "name desc" }), ["c", "b", "a"], "the names");
          const times = await world.rows("tags", { uidp: { childrenOf: repo }, orderBy: "updated_at desc" });
          const sorted = times.map(({ updateTime }) => updateTime);
          equal(sorted, sorted.toSorted().toReversed(), "the times");
        }),
      ],
    },
  ],
};

/** Makes until what is made has a later time than what was before: times have milliseconds. */
async function laterThan(before: Json, make: () => Promise<Json>): Promise<Json> {
  for (let tries = 1; ; tries++) {
    const made = await make();
    if (made.updateTime > before.updateTime) return made;
    holds(tries < 1_000, "updateTime", `one after ${before.updateTime}`, made.updateTime);
  }
}
