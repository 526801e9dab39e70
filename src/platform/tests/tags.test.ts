import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TagsService } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
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
  it("Create creates or updates: a repo has one tag of a name", async () => {
    const repo = await makeRepo();
    const first = await makeTag(repo, "latest", 1);
    expect(first).toEqual({
      uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
      name: "latest",
      digest: digest(1),
      deprecated: false,
      bundles: [],
      createTime: expect.stringMatching(/\.\d{3}Z$/),
      updateTime: first.createTime,
    });
    platform.advance(1_000);
    const again = await platform.admin.ok("POST", tagPath(repo), {
      name: "latest",
      digest: digest(2),
      deprecated: true,
    });
    expect(again).toMatchObject({
      uid: first.uid,
      digest: digest(2),
      deprecated: true,
      createTime: first.createTime,
    });
    expect(again.updateTime > first.updateTime).toBe(true);
    expect(await platform.admin.ok("GET", tagPath(first.uid))).toEqual(again);
    expect(await listTags(`uidp.children_of=${repo}`)).toMatchObject({ totalCount: "1" });
    const elsewhere = await makeTag(await makeRepo(), "latest");
    expect(elsewhere.uid).not.toBe(first.uid);
  });

  it("Two callers that make the same tag at once make one", async () => {
    const repo = await makeRepo();
    const made = await Promise.all(Array.from({ length: 10 }, (_, n) => makeTag(repo, "latest", n)));
    expect(new Set(made.map(({ uid }) => uid)).size).toBe(1);
    expect(await listTags(`uidp.children_of=${repo}`)).toMatchObject({ totalCount: "1" });
  });

  it("Tags have no Update: code 12", async () => {
    const { uid } = await makeTag(await makeRepo(), "latest");
    expect(await platform.admin.patch(tagPath(uid), { digest: digest(2) })).toMatchObject({
      status: 501,
      body: { code: 12 },
    });
    const transport = createGrpcTransport({ baseUrl: platform.url });
    const method = { ...TagsService.method.getTag, name: "UpdateTag" };
    await expect(transport.unary(method, undefined, undefined, undefined, { uid })).rejects.toMatchObject({
      code: 12,
    });
  });

  it.each([
    [{ digest: digest(1) }, "name"],
    [{ name: "latest" }, "digest"],
    [{ name: "latest", digest: "latest" }, "digest"],
    [{ name: "latest", digest: `sha256:${"0".repeat(300)}` }, "digest"],
  ])("refuses %j, naming %s", async (body, field) => {
    expect((await platform.admin.post(tagPath(await makeRepo()), body)).body).toMatchObject({
      code: 3,
      details: [{}, { fieldViolations: [{ field }] }],
    });
  });

  it("A uid of the wrong kind is code 5 in a path", async () => {
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
    let begin: number;
    const names = async (query: string) => {
      const { tags, totalCount } = await listTags(`uidp.children_of=${repo}&${query}`);
      expect(totalCount).toBe(String(tags.length));
      return tags.map(({ name }) => name);
    };

    beforeAll(async () => {
      repo = await makeRepo();
      begin = platform.now;
      const all = ["latest", "sha256-0f3a.sig", "latest-20260131", "1.27.3-r0", "1.27.3", "sha256-0f3a-r1"];
      for (const [n, name] of all.entries()) {
        platform.advance(60_000);
        await makeTag(repo, name, n);
      }
    });

    it("includeReferrers, includeDates, includeEpochs: false hides tags of their forms", async () => {
      expect(await names("")).toEqual(["1.27.3", "latest"]);
      expect(await names("includeReferrers=true")).toEqual(["1.27.3", "latest", "sha256-0f3a.sig"]);
      expect(await names("include_dates=true")).toEqual(["1.27.3", "latest", "latest-20260131"]);
      expect(await names("include_epochs=true")).toEqual(["1.27.3", "1.27.3-r0", "latest"]);
      expect(await names("include_epochs=true&includeReferrers=true")).toEqual([
        "1.27.3",
        "1.27.3-r0",
        "latest",
        "sha256-0f3a-r1",
        "sha256-0f3a.sig",
      ]);
      expect(await names("include_epochs=true&include_dates=true&include_referrers=true")).toHaveLength(6);
    });

    it("name and digest are exact, and combine with the forms", async () => {
      expect(await names("name=latest")).toEqual(["latest"]);
      expect(await names("name=1.27.3-r0")).toEqual([]);
      expect(await names("name=1.27.3-r0&includeEpochs=true")).toEqual(["1.27.3-r0"]);
      expect(await names(`digest=${digest(4)}`)).toEqual(["1.27.3"]);
      expect(await names(`digest=${digest(4)}&name=latest`)).toEqual([]);
      expect(await names("digest=%00")).toEqual([]);
    });

    it("updatedSince is the earliest update that is shown, and a tag that moves is updated", async () => {
      const at = (minutes: number) => `updatedSince=${new Date(begin + minutes * 60_000).toISOString()}`;
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

    it("totalCount is exact as tags of every form come and go, and pages are of what is shown", async () => {
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
