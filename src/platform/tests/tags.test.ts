import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digest, hidden, Registry, repoPath, tagPath } from "./registry-calls.testing.ts";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let makeRepo: Registry["makeRepo"];
let makeTag: Registry["makeTag"];
let listTags: Registry["listTags"];
beforeAll(async () => {
  platform = await RunningPlatform.start();
  ({ team, makeRepo, makeTag, listTags } = await Registry.on(platform));
});
afterAll(() => platform.stop());

describe("tags", () => {
  it("are created once by concurrent calls with the same name", async () => {
    const repo = await makeRepo();
    const created = await Promise.all(Array.from({ length: 10 }, (_, n) => makeTag(repo, "latest", n)));
    expect(new Set(created.map(({ uid }) => uid)).size).toBe(1);
    expect(await listTags(`uidp.children_of=${repo}`)).toMatchObject({ totalCount: "1" });
  });

  it.each([
    [{ name: "latest", digest: "latest" }, "digest"],
    [{ name: "latest", digest: `sha256:${"0".repeat(300)}` }, "digest"],
  ])("reject %j with a violation of %s", async (body, field) => {
    expect((await platform.admin.post(tagPath(await makeRepo()), body)).body).toMatchObject({
      code: 3,
      details: [{}, { fieldViolations: [{ field }] }],
    });
  });

  it("return 5 for a uid of another resource type in a path", async () => {
    const repo = await makeRepo();
    const { uid } = await makeTag(repo, "latest");
    for (const path of [tagPath(repo), repoPath(uid), repoPath(team), "/registry/v2beta1/tags/nonsense"])
      expect(await platform.admin.get(path)).toMatchObject(hidden);
    for (const parent of [team, uid, "nonsense", `${team}/0000000000000000`])
      expect((await platform.admin.post(tagPath(parent), { name: "a", digest: digest(1) })).body).toMatchObject({
        code: 5,
        details: [{}, { resourceType: "repo", resourceName: parent }],
      });
    expect((await platform.admin.post(repoPath(repo), { name: "a" })).body).toMatchObject({ code: 5 });
  });

  describe("filters", () => {
    let repo: string;
    let startedAt: number;
    const names = async (query: string) => {
      const { tags, totalCount } = await listTags(`uidp.children_of=${repo}&${query}`);
      expect(totalCount).toBe(String(tags.length));
      return tags.map(({ name }) => name);
    };

    beforeAll(async () => {
      repo = await makeRepo();
      startedAt = platform.now;
      const all = ["latest", "sha256-0f3a.sig", "latest-20260131", "1.27.3-r0", "1.27.3", "sha256-0f3a-r1"];
      for (const [n, name] of all.entries()) {
        platform.advance(60_000);
        await makeTag(repo, name, n);
      }
    });

    it("name and digest match exactly and do not include the excluded forms", async () => {
      expect(await names("name=latest")).toEqual(["latest"]);
      expect(await names("name=1.27.3-r0")).toEqual([]);
      expect(await names("name=1.27.3-r0&includeEpochs=true")).toEqual(["1.27.3-r0"]);
      expect(await names(`digest=${digest(4)}`)).toEqual(["1.27.3"]);
      expect(await names(`digest=${digest(4)}&name=latest`)).toEqual([]);
      expect(await names("digest=%00")).toEqual([]);
    });

    it("updatedSince selects the tags updated since a time, and rejects other values", async () => {
      const at = (minutes: number) => `updatedSince=${new Date(startedAt + minutes * 60_000).toISOString()}`;
      expect(await names(at(4))).toEqual(["1.27.3"]);
      expect(await names(at(7))).toEqual([]);
      platform.advance(120_000);
      await makeTag(repo, "latest", 9);
      expect(await names(at(7))).toEqual(["latest"]);
      const [{ updateTime } = {} as Json] = (await listTags(`uidp.children_of=${repo}&name=latest`)).tags;
      expect(await names(`updatedSince=${updateTime}`)).toEqual(["latest"]);
      expect((await platform.admin.get("/registry/v2beta1/tags?updated_since=yesterday")).body).toMatchObject({
        code: 3,
        details: [{}, { fieldViolations: [{ field: "updated_since" }] }],
      });
    });

    it("totalCount is exact after tags of every form were created and deleted", async () => {
      const query = `/registry/v2beta1/tags?uidp.descendants_of=${team}&page_size=1`;
      const before = Number((await platform.admin.ok("GET", query)).totalCount);
      const plain = await makeTag(repo, "plain");
      const dated = await makeTag(repo, "plain-20260201");
      expect(await platform.admin.ok("GET", query)).toMatchObject({ totalCount: String(before + 1) });
      await platform.admin.ok("DELETE", tagPath(dated.uid));
      expect(await platform.admin.ok("GET", query)).toMatchObject({ totalCount: String(before + 1) });
      await platform.admin.ok("DELETE", tagPath(plain.uid));
      expect(await platform.admin.ok("GET", query)).toMatchObject({ totalCount: String(before) });
    });
  });
});
