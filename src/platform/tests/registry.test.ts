import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CatalogTier, ReposService } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { TagsService } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { denied, digest, hidden, Registry, repoPath, tagPath } from "./registry-calls.testing.ts";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let other: string;
let makeRepo: Registry["makeRepo"];
let makeTag: Registry["makeTag"];
let listTags: Registry["listTags"];
beforeAll(async () => {
  platform = await RunningPlatform.start();
  ({ team, other, makeRepo, makeTag, listTags } = await Registry.on(platform));
});
afterAll(() => platform.stop());

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
