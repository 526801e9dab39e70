import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let parent: string;
const day = 24 * 3_600_000;

beforeAll(async () => {
  platform = await RunningPlatform.start();
  parent = await platform.admin.group(platform.root);
  for (const name of ["a", "b", "c", "d"]) await platform.admin.group(parent, name);
});
afterAll(() => platform.stop());

const list = (query: string) => platform.admin.get(`/iam/v2beta1/groups?uidp.children_of=${parent}&${query}`);

describe("paging", () => {
  it.each([
    ["page_size=many", "page_size"],
    ["uidp.descendants_of=nonsense", "uidp.descendants_of"],
    ["uidp.ids=nonsense", "uidp.ids"],
    ["uidp.nope=1", "uidp.nope"],
    ["color=red", "color"],
    ["name=a&name=b", "name"],
  ])("rejects %s with a violation of %s", async (query, field) => {
    expect((await list(query)).body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("rejects a page token whose signature has another number of bytes", async () => {
    const { nextPageToken: token } = (await list("page_size=3")).body;
    // The number of characters stays the same.
    const changed = `${String(token).slice(0, -1)}\u00e9`;
    expect((await list(`page_token=${encodeURIComponent(changed)}`)).body).toMatchObject({ code: 3 });
  });

  it("accepts the default order with a page token that was issued without an order", async () => {
    const { nextPageToken: token } = (await list("page_size=3")).body;
    expect((await list(`page_token=${token}&order_by=uid`)).status).toBe(200);
  });

  it("restarts the query if a page token is older than 3 days, even with other filters", async () => {
    const separate = await RunningPlatform.start();
    for (const name of ["a", "b", "c"]) await separate.admin.group(separate.root, name);
    const first = await separate.admin.ok("GET", "/iam/v2beta1/groups?page_size=2");
    separate.advance(3 * day - 60_000);
    expect(
      await separate.admin.ok("GET", `/iam/v2beta1/groups?page_size=2&page_token=${first.nextPageToken}`),
    ).not.toMatchObject({ groups: first.groups });
    separate.advance(120_000);
    for (const other of ["", "&order_by=uid%20asc"])
      expect(
        await separate.admin.ok("GET", `/iam/v2beta1/groups?page_size=2&page_token=${first.nextPageToken}${other}`),
      ).toMatchObject({ groups: first.groups });
    expect((await separate.admin.get(`/iam/v2beta1/groups?name=a&page_token=${first.nextPageToken}`)).status).toBe(200);
    await separate.stop();
  });
});
