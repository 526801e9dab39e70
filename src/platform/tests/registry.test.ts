import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CatalogTier, ReposService } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { TagsService } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { type Json, RunningPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
let team: string;
let other: string;
const digest = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`;
const denied = { status: 403, body: { code: 7, details: [{ reason: "PERMISSION_DENIED" }] } };
const hidden = { status: 404, body: { code: 5 } };

beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
  other = await platform.admin.group(platform.root, "other");
});
afterAll(() => platform.stop());

const repoPath = (uid: string) => `/registry/v2beta1/repos/${uid}`;
const tagPath = (uid: string) => `/registry/v2beta1/tags/${uid}`;
const makeRepo = async (group = team, name = "nginx") =>
  (await platform.admin.ok("POST", repoPath(group), { name })).uid;
const makeTag = (repo: string, name: string, n = 1) =>
  platform.admin.ok("POST", tagPath(repo), { name, digest: digest(n) });
const listTags = async (query: string, client = platform.admin) =>
  (await client.ok("GET", `/registry/v2beta1/tags?page_size=200&order_by=name&${query}`)) as Json & {
    tags: readonly Json[];
  };

describe("repos", () => {
  it("A repo is <group>/<16 hex>; zero values are written out", async () => {
    const made = await platform.admin.ok("POST", repoPath(team), {
      name: "nginx",
      catalogTier: "CATALOG_TIER_APPLICATION",
      aliases: ["web"],
    });
    expect(made).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      name: "nginx",
      description: "",
      catalogTier: "CATALOG_TIER_APPLICATION",
      bundles: [],
      aliases: ["web"],
      activeTags: [],
      createTime: expect.stringMatching(/\.\d{3}Z$/),
      updateTime: made.createTime,
    });
    expect(await platform.admin.ok("GET", repoPath(made.uid))).toEqual(made);
    expect(await platform.admin.ok("GET", `/registry/v2beta1/repos?uidp.ids=${made.uid}`)).toEqual({
      repos: [made],
      totalCount: "1",
      skipped: 0,
    });
  });

  it.each([
    [{}, "name"],
    [{ name: "Upper" }, "name"],
    [{ name: "a", description: "x".repeat(513) }, "description"],
    [{ name: "a", catalogTier: "CATALOG_TIER_GOLD" }, "catalogTier"],
    [{ name: "a", nope: 1 }, "nope"],
  ])("refuses %j, naming %s", async (body, field) => {
    expect((await platform.admin.post(repoPath(team), body)).body).toMatchObject({
      code: 3,
      details: [{}, { fieldViolations: [{ field }] }],
    });
  });

  it("Without updateMask, only the fields present in the body are changed; lists are replaced whole", async () => {
    const { uid, createTime } = await platform.admin.ok("POST", repoPath(team), {
      name: "before",
      description: "d",
      aliases: ["a", "b"],
    });
    platform.advance(1_000);
    const after = await platform.admin.ok("PATCH", repoPath(uid), { aliases: ["c"] });
    expect(after).toMatchObject({ name: "before", description: "d", aliases: ["c"], createTime });
    expect(Date.parse(after.updateTime)).toBeGreaterThanOrEqual(Date.parse(createTime) + 1_000);
    expect(
      await platform.admin.ok("PATCH", `${repoPath(uid)}?updateMask=name`, { name: "after", description: "no" }),
    ).toMatchObject({ name: "after", description: "d" });
    expect((await platform.admin.patch(repoPath(uid), { name: "" })).body).toMatchObject({ code: 3 });
  });

  it("Deleting a group with child repos: 9, RESOURCE_NOT_EMPTY, with the contract's own text; a repo with tags likewise", async () => {
    const group = await platform.admin.group(team);
    const repo = await makeRepo(group);
    const tag = await makeTag(repo, "latest");
    await platform.admin.group(group);
    const refused = (description: string) => ({
      status: 400,
      body: {
        code: 9,
        message: `Precondition failed: ${description}`,
        details: [
          { reason: "FAILED_PRECONDITION" },
          {
            "@type": "type.googleapis.com/google.rpc.PreconditionFailure",
            violations: [{ type: "RESOURCE_NOT_EMPTY", description }],
          },
        ],
      },
    });
    expect(await platform.admin.delete(`/iam/v2beta1/groups/${group}`)).toMatchObject(
      refused("cannot delete group with child repos"),
    );
    expect(await platform.admin.delete(repoPath(repo))).toMatchObject(refused("cannot delete repo with child tags"));
    await platform.admin.ok("DELETE", tagPath(tag.uid));
    expect(await platform.admin.delete(repoPath(repo))).toMatchObject({ status: 200, text: "" });
    expect(await platform.admin.delete(repoPath(repo))).toMatchObject(hidden);
    expect((await platform.admin.delete(`/iam/v2beta1/groups/${group}`)).body).toMatchObject({
      message: "Precondition failed: cannot delete group with child groups",
    });
  });

  it("--unique-names refuses a repo's name that a sibling has with code 6", async () => {
    const strict = await RunningPlatform.start({ uniqueNames: true });
    await strict.admin.ok("POST", repoPath(strict.root), { name: "a" });
    expect((await strict.admin.post(repoPath(strict.root), { name: "a" })).body).toMatchObject({ code: 6 });
    const { uid } = await strict.admin.ok("POST", repoPath(strict.root), { name: "b" });
    expect((await strict.admin.patch(repoPath(uid), { name: "a" })).body).toMatchObject({ code: 6 });
    await strict.stop();
  });
});

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

describe("access", () => {
  it("registry.pull reads repos and tags; registry.push changes them; viewer and editor have what the table says", async () => {
    const puller = await platform.callerWith("registry.pull", team);
    const pusher = await platform.callerWith("registry.push", team);
    const editor = await platform.callerWith("editor", team);
    const repo = (await pusher.ok("POST", repoPath(team), { name: "mine" })).uid;
    const tag = (await pusher.ok("POST", tagPath(repo), { name: "latest", digest: digest(1) })).uid;
    for (const reader of [puller, editor])
      for (const path of [repoPath(repo), tagPath(tag)]) expect((await reader.get(path)).status).toBe(200);
    expect(await puller.patch(repoPath(repo), { description: "x" })).toMatchObject(denied);
    expect(await puller.delete(repoPath(repo))).toMatchObject(denied);
    expect(await puller.delete(tagPath(tag))).toMatchObject(denied);
    expect(await puller.post(tagPath(repo), { name: "latest", digest: digest(1) })).toMatchObject(denied);
    expect(await puller.post(repoPath(team), { name: "a" })).toMatchObject(denied);
    expect((await editor.patch(repoPath(repo), { description: "x" })).status).toBe(200);
    expect(await editor.post(tagPath(repo), { name: "new", digest: digest(1) })).toMatchObject(denied);
    expect((await pusher.delete(tagPath(tag))).status).toBe(200);
    expect((await pusher.delete(repoPath(repo))).status).toBe(200);
  });

  it("List and Get need the .list of the collection itself", async () => {
    const group = await platform.admin.group(platform.root);
    const repo = await makeRepo(group);
    const tag = (await makeTag(repo, "latest")).uid;
    for (const [cap, path, uid, beside] of [
      ["repo.list", "repos", repo, tagPath(tag)],
      ["tag.list", "tags", tag, repoPath(repo)],
      ["groups.list", "", "", repoPath(repo)],
    ] as const) {
      const reader = await platform.callerWith("owner", group, `&cap=${cap}`);
      for (const collection of ["repos", "tags"])
        expect(await reader.ok("GET", `/registry/v2beta1/${collection}`), `${cap}: ${collection}`).toMatchObject({
          totalCount: collection === path ? "1" : "0",
        });
      if (path !== "") expect((await reader.get(`/registry/v2beta1/${path}/${uid}`)).status).toBe(200);
      expect(await reader.get(beside), cap).toMatchObject(denied);
    }
  });

  it("Moving a tag needs tag.update, making one tag.create", async () => {
    const repo = await makeRepo();
    await makeTag(repo, "there");
    const maker = await platform.callerWith("owner", team, "&cap=tag.create");
    const mover = await platform.callerWith("owner", team, "&cap=tag.update");
    const put = { digest: digest(3) };
    expect((await maker.post(tagPath(repo), { name: "new", ...put })).status).toBe(200);
    expect(await maker.post(tagPath(repo), { name: "there", ...put })).toMatchObject(denied);
    expect((await mover.post(tagPath(repo), { name: "there", ...put })).status).toBe(200);
    expect(await mover.post(tagPath(repo), { name: "newer", ...put })).toMatchObject(denied);
  });

  it("A List is cut down to what the token covers, and on something it cannot see at all it is 5", async () => {
    const repo = await makeRepo(other);
    const tag = (await makeTag(repo, "latest")).uid;
    const puller = await platform.callerWith("registry.pull", other);
    const seen = (await puller.ok("GET", "/registry/v2beta1/repos")) as Json & { repos: readonly Json[] };
    expect(seen).toMatchObject({ repos: [{ uid: repo }], totalCount: "1" });
    expect(await listTags("", puller)).toMatchObject({ tags: [{ uid: tag }], totalCount: "1" });
    const elsewhere = await makeRepo(team);
    expect(await puller.get(repoPath(elsewhere))).toMatchObject(hidden);
    expect(await puller.post(tagPath(elsewhere), { name: "a", digest: digest(1) })).toMatchObject(hidden);
    expect((await puller.get("/vulnerabilities/v2beta1/advisories")).body).toEqual({
      advisories: [],
      totalCount: "0",
      skipped: 0,
    });
    // A binding may stand in a group only, but a token can be narrowed to one repo.
    const narrow = await platform.callerWith("registry.pull", other, `&scope=${repo}`);
    expect(await listTags("", narrow)).toMatchObject({ totalCount: "1" });
    const build = (await makeTag(repo, "1.27.3-r0")).uid;
    const narrower = await platform.callerWith("registry.pull", other, `&scope=${build}`);
    expect(await listTags("", narrower)).toMatchObject({ tags: [], totalCount: "0" });
    expect(await listTags("includeEpochs=true", narrower)).toMatchObject({ tags: [{ uid: build }], totalCount: "1" });
  });
});

describe("paging and ordering", () => {
  it.each([
    ["name", ["a", "b", "c", "d", "e"]],
    ["name%20desc", ["e", "d", "c", "b", "a"]],
    ["created_at%20desc", ["e", "d", "c", "b", "a"]],
    ["updated_at%20desc", ["a", "e", "d", "c", "b"]],
  ])("Pages keep the sort order %s across cursors", async (order, expected) => {
    const repo = await makeRepo();
    for (const name of ["a", "b", "c", "d", "e"]) {
      platform.advance(10);
      await makeTag(repo, name);
    }
    platform.advance(10);
    await makeTag(repo, "a", 2);
    const seen: string[] = [];
    for (let token: string | undefined = ""; token !== undefined; ) {
      const page = (await platform.admin.ok(
        "GET",
        `/registry/v2beta1/tags?uidp.children_of=${repo}&page_size=2&order_by=${order}&page_token=${token}`,
      )) as Json & { tags: readonly Json[] };
      seen.push(...page.tags.map(({ name }) => name));
      token = page.nextPageToken;
    }
    expect(seen).toEqual(expected);
  });

  it("A page token is bound to the filters", async () => {
    const repo = await makeRepo();
    for (const name of ["a", "b"]) await makeTag(repo, name);
    const path = `/registry/v2beta1/tags?uidp.children_of=${repo}&page_size=1`;
    const { nextPageToken } = await platform.admin.ok("GET", path);
    expect((await platform.admin.get(`${path}&page_token=${nextPageToken}&includeDates=true`)).body).toMatchObject({
      code: 3,
    });
  });
});

describe("gRPC", () => {
  it("The same endpoints are also available over gRPC on the same host", async () => {
    const transport = createGrpcTransport({ baseUrl: platform.url });
    const bearer = { headers: { authorization: `Bearer ${platform.admin.token}` } };
    const repos = createClient(ReposService, transport);
    const tags = createClient(TagsService, transport);
    const made = await repos.createRepo({ parent: team, repo: { name: "by grpc", aliases: ["a"] } }, bearer);
    const update = { uid: made.uid, catalogTier: CatalogTier.FIPS };
    expect(await repos.updateRepo({ repo: update }, bearer)).toMatchObject({ name: "by grpc", aliases: ["a"] });
    expect(await repos.getRepo({ uid: made.uid }, bearer)).toMatchObject({ catalogTier: CatalogTier.FIPS });
    const tag = await tags.createTag({ parent: made.uid, tag: { name: "latest-r1", digest: digest(1) } }, bearer);
    expect(await tags.listTags({ uidp: { childrenOf: made.uid } }, bearer)).toMatchObject({ totalCount: 0n });
    expect(await tags.listTags({ uidp: { childrenOf: made.uid }, includeEpochs: true }, bearer)).toMatchObject({
      tags: [{ uid: tag.uid }],
    });
    await expect(repos.deleteRepo({ uid: made.uid }, bearer)).rejects.toMatchObject({ code: 9 });
    await tags.deleteTag({ uid: tag.uid }, bearer);
    await repos.deleteRepo({ uid: made.uid }, bearer);
    expect(await repos.listRepos({ name: "by grpc" }, bearer)).toMatchObject({ repos: [], totalCount: 0n });
  });
});

describe("v1", () => {
  it("GET /registry/v1/repos answers {items}, unpaged, with id for uid, cut down to what the token covers", async () => {
    const group = await platform.admin.group(platform.root);
    for (let n = 0; n < 60; n++) await makeRepo(group, `v${n}`);
    const elsewhere = await makeRepo(team, "v1");
    const puller = await platform.callerWith("registry.pull", group);
    const { items, ...rest } = (await puller.ok("GET", "/registry/v1/repos")) as Json & { items: readonly Json[] };
    expect(rest).toEqual({});
    expect(items).toHaveLength(60);
    expect(items.every(({ id }) => (id as string).startsWith(`${group}/`))).toBe(true);
    expect(await puller.ok("GET", "/registry/v1/repos?name=v1")).toEqual({
      items: [{ id: expect.stringContaining(`${group}/`), name: "v1" }],
    });
    expect(await puller.ok("GET", `/registry/v1/repos?id=${elsewhere}`)).toEqual({ items: [] });
    expect(await platform.admin.ok("GET", `/registry/v1/repos?id=${elsewhere}`)).toEqual({
      items: [{ id: elsewhere, name: "v1" }],
    });
  });
});
