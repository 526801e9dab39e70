import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  it("registry.pull reads repos and tags, registry.push also changes them, editor changes only repos", async () => {
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

  it("restricts Lists to what the token covers, and returns 5 for hidden resources", async () => {
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
    // A binding is always in a group, but a token can be downscoped to a repo or a tag.
    const forRepo = await platform.callerWith("registry.pull", other, `&scope=${repo}`);
    expect(await listTags("", forRepo)).toMatchObject({ totalCount: "1" });
    const build = (await makeTag(repo, "1.27.3-r0")).uid;
    const forTag = await platform.callerWith("registry.pull", other, `&scope=${build}`);
    expect(await listTags("", forTag)).toMatchObject({ tags: [], totalCount: "0" });
    expect(await listTags("includeEpochs=true", forTag)).toMatchObject({ tags: [{ uid: build }], totalCount: "1" });
  });
});

describe("paging and ordering", () => {
  it.each([
    ["name", ["a", "b", "c", "d", "e"]],
    ["name%20desc", ["e", "d", "c", "b", "a"]],
    ["created_at%20desc", ["e", "d", "c", "b", "a"]],
    ["updated_at%20desc", ["a", "e", "d", "c", "b"]],
  ])("keeps the order %s across pages", async (order, expected) => {
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

  it("binds a page token to the filters", async () => {
    const repo = await makeRepo();
    for (const name of ["a", "b"]) await makeTag(repo, name);
    const path = `/registry/v2beta1/tags?uidp.children_of=${repo}&page_size=1`;
    const { nextPageToken } = await platform.admin.ok("GET", path);
    expect((await platform.admin.get(`${path}&page_token=${nextPageToken}&includeDates=true`)).body).toMatchObject({
      code: 3,
    });
  });
});

describe("v1", () => {
  it("lists repos without pages, with id for uid, restricted to what the token covers", async () => {
    const group = await platform.admin.group(platform.root);
    for (let n = 0; n < 60; n++) await makeRepo(group, `v${n}`);
    const elsewhere = await makeRepo(team, "v1");
    const puller = await platform.callerWith("registry.pull", group);
    const { items, ...rest } = (await puller.ok("GET", "/registry/v1/repos")) as Json & { items: readonly Json[] };
    expect(rest).toEqual({});
    expect(items).toHaveLength(60);
    expect(items.every(({ id }) => (id as string).startsWith(`${group}/`))).toBe(true);
    expect(await puller.ok("GET", "/registry/v1/repos?name=v1")).toEqual({
      items: [expect.objectContaining({ id: expect.stringContaining(`${group}/`), name: "v1" })],
    });
    expect(await puller.ok("GET", `/registry/v1/repos?id=${elsewhere}`)).toEqual({ items: [] });
    expect(await platform.admin.ok("GET", `/registry/v1/repos?id=${elsewhere}`)).toEqual({
      items: [expect.objectContaining({ id: elsewhere, name: "v1", description: "" })],
    });
  });
});
