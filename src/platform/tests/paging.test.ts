import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let parent: string;
let made: readonly Json[];
const day = 24 * 3_600_000;

beforeAll(async () => {
  platform = await RunningPlatform.start();
  parent = await platform.admin.group(platform.root);
  const groups: Json[] = [];
  for (let n = 0; n < 14; n++) {
    groups.push(await platform.admin.ok("POST", `/iam/v2beta1/groups/${parent}`, { name: `g-${(n * 5) % 7}` }));
    platform.advance(10);
  }
  made = groups;
});
afterAll(() => platform.stop());

const list = (query: string) => platform.admin.get(`/iam/v2beta1/groups?uidp.children_of=${parent}&${query}`);

async function walk(query: string): Promise<Json[]> {
  const seen: Json[] = [];
  for (let token: string | undefined = ""; token !== undefined; ) {
    const { body } = await list(`${query}&page_token=${token}`);
    expect(body.totalCount).toBe("14");
    seen.push(...body.groups);
    token = body.nextPageToken;
  }
  return seen;
}

const byName = (a: Json, b: Json) => (a.name < b.name ? -1 : a.name > b.name ? 1 : byUid(a, b));
const byUid = (a: Json, b: Json) => (a.uid < b.uid ? -1 : 1);

describe("paging", () => {
  it("Pages keep the sort order across cursors; ties break by uid ascending", async () => {
    const expected: Record<string, Json[]> = {
      "": made.toSorted(byUid),
      "&order_by=uid": made.toSorted(byUid),
      "&order_by=uid%20desc": made.toSorted(byUid).toReversed(),
      "&order_by=name": made.toSorted(byName),
      "&orderBy=name%20asc": made.toSorted(byName),
      "&order_by=name%20desc": made.toSorted((a, b) => (a.name === b.name ? byUid(a, b) : byName(b, a))),
      "&order_by=created_at": [...made],
      "&order_by=created_at%20desc": made.toReversed(),
      "&order_by=update_time%20desc": made.toReversed(),
    };
    for (const [query, groups] of Object.entries(expected))
      for (const size of [3, 14])
        expect(
          (await walk(`page_size=${size}${query}`)).map(({ uid }) => uid),
          query,
        ).toEqual(groups.map(({ uid }) => uid));
  });

  it("With skip=10, page_size=5 and a total of 14 matches, the response holds the 4 results after the first 10, and skipped is 10", async () => {
    const { body } = await list("skip=10&page_size=5");
    expect(body.groups.map(({ uid }) => uid)).toEqual(
      made
        .toSorted(byUid)
        .slice(10)
        .map(({ uid }) => uid),
    );
    expect(body).toMatchObject({ skipped: 10, totalCount: "14" });
    expect(body).not.toHaveProperty("nextPageToken");
  });

  it("skip counts from the cursor when both are given", async () => {
    const { body: first } = await list("page_size=3");
    const { body } = await list(`page_size=3&skip=2&pageToken=${first.nextPageToken}`);
    expect(body.groups.map(({ uid }) => uid)).toEqual(
      made
        .toSorted(byUid)
        .slice(5, 8)
        .map(({ uid }) => uid),
    );
  });

  it("never repeats or loses a row whose sort key did not change while rows come and go", async () => {
    const group = await platform.admin.group(platform.root);
    const uids = await Promise.all(Array.from({ length: 9 }, (_, n) => platform.admin.group(group, `n${n}`)));
    const page = async (token: string) =>
      await platform.admin.ok(
        "GET",
        `/iam/v2beta1/groups?uidp.children_of=${group}&order_by=name&page_size=3&page_token=${token}`,
      );
    const first = await page("");
    await platform.admin.ok("DELETE", `/iam/v2beta1/groups/${uids[0]}`);
    await platform.admin.ok("DELETE", `/iam/v2beta1/groups/${uids[2]}`);
    await platform.admin.group(group, "n0a");
    const second = await page(first.nextPageToken ?? "");
    expect(second.groups.map(({ name }) => name)).toEqual(["n3", "n4", "n5"]);
    expect(second.totalCount).toBe("8");
  });

  it("page_size over 200 becomes 200, 0 or absent is 50", async () => {
    const group = await platform.admin.group(platform.root);
    await Promise.all(Array.from({ length: 205 }, (_, n) => platform.admin.group(group, `n${n}`)));
    const sizeOf = async (query: string) =>
      (await platform.admin.ok("GET", `/iam/v2beta1/groups?uidp.children_of=${group}${query}`)).groups.length;
    expect(await sizeOf("")).toBe(50);
    expect(await sizeOf("&page_size=0")).toBe(50);
    expect(await sizeOf("&pageSize=1000")).toBe(200);
  });

  it.each([
    ["page_size=-1", "page_size"],
    ["page_size=many", "page_size"],
    ["skip=-1", "skip"],
    ["order_by=color", "order_by"],
    ["order_by=name%20up", "order_by"],
    ["order_by=name,uid", "order_by"],
    ["page_token=nonsense", "page_token"],
    ["page_token=a.b", "page_token"],
    ["uidp.descendants_of=nonsense", "uidp.descendants_of"],
    ["uidp.ids=nonsense", "uidp.ids"],
    ["uidp.nope=1", "uidp.nope"],
    ["color=red", "color"],
    ["name=a&name=b", "name"],
  ])("refuses %s, naming %s", async (query, field) => {
    expect((await list(query)).body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("order_by a field that the resource lacks is code 3", async () => {
    expect((await platform.admin.get("/iam/v2beta1/roleBindings?order_by=name")).body).toMatchObject({ code: 3 });
  });

  it("A page token is bound to collection, filters and order_by, not to page_size or caller", async () => {
    const { nextPageToken: token } = (await list("page_size=3")).body;
    // As many characters as a signature has, but not as many bytes.
    const odd = `${String(token).slice(0, -1)}\u00e9`;
    expect((await list(`page_token=${encodeURIComponent(odd)}`)).body).toMatchObject({ code: 3 });
    expect((await list(`page_token=${token}&order_by=name`)).body).toMatchObject({ code: 3 });
    expect((await list(`page_token=${token}&name=x`)).body).toMatchObject({ code: 3 });
    expect(
      (await platform.admin.get(`/iam/v2beta1/identities?uidp.children_of=${parent}&page_token=${token}`)).body,
    ).toMatchObject({ code: 3 });
    expect((await list(`page_token=${token}&page_size=9&order_by=uid`)).status).toBe(200);
    const caller = await platform.callerWith("viewer", parent);
    expect((await caller.get(`/iam/v2beta1/groups?uidp.children_of=${parent}&page_token=${token}`)).status).toBe(200);
  });

  it("A page token older than 3 days restarts the query from the beginning, and that is judged first", async () => {
    const own = await RunningPlatform.start();
    for (const name of ["a", "b", "c"]) await own.admin.group(own.root, name);
    const first = await own.admin.ok("GET", "/iam/v2beta1/groups?page_size=2");
    own.advance(3 * day - 60_000);
    expect(
      await own.admin.ok("GET", `/iam/v2beta1/groups?page_size=2&page_token=${first.nextPageToken}`),
    ).not.toMatchObject({ groups: first.groups });
    own.advance(120_000);
    for (const other of ["", "&order_by=uid%20asc"])
      expect(
        await own.admin.ok("GET", `/iam/v2beta1/groups?page_size=2&page_token=${first.nextPageToken}${other}`),
      ).toMatchObject({ groups: first.groups });
    expect((await own.admin.get(`/iam/v2beta1/groups?name=a&page_token=${first.nextPageToken}`)).status).toBe(200);
    await own.stop();
  });
});

describe("uidp filters", () => {
  const uids = async (query: string) =>
    (await platform.admin.ok("GET", `/iam/v2beta1/groups?page_size=200&${query}`)).groups.map(({ uid }) => uid);

  it("descendants_of is below at any depth, children_of directly below, in_root without a parent", async () => {
    const top = await platform.admin.group(platform.root, "top");
    const middle = await platform.admin.group(top, "middle");
    const bottom = await platform.admin.group(middle, "bottom");
    expect(await uids(`uidp.descendants_of=${top}`)).toEqual([middle, bottom]);
    expect(await uids(`uidp.descendantsOf=${top}&name=bottom`)).toEqual([bottom]);
    expect(await uids(`uidp.children_of=${top}`)).toEqual([middle]);
    expect(await uids(`uidp.children_of=${middle}&uidp.descendants_of=${top}`)).toEqual([bottom]);
    expect(await uids(`uidp.children_of=${top}&uidp.descendants_of=${middle}`)).toEqual([]);
    expect(await uids("uidp.in_root=true")).toEqual([platform.root]);
    expect(await uids(`uidp.ancestors_of=${bottom}`)).toEqual([platform.root, top, middle]);
    expect(await uids(`uidp.ids=${bottom}&uidp.ids=${top}`)).toEqual([top, bottom]);
    expect(await uids(`uidp.descendants_of=${"0".repeat(40)}`)).toEqual([]);
  });
});
