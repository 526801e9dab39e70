import { describe, expect, it } from "vitest";
import type { ListQuery, ResourcePage, PlatformApi } from "./api.ts";
import type { ExternalResource } from "./collection.ts";
import { groupCollection } from "./group-collection.testing.ts";
import { listAll } from "./list-all.ts";

const group = (digit: string) => ({
  uid: `${"a".repeat(40)}/${digit.repeat(16)}`,
  name: "",
  description: "",
});
const { signal } = new AbortController();

/** A platform that responds with these pages to any query. */
function respondingWith(...pages: readonly { readonly uids: string; readonly totalCount: number }[]) {
  const pageTokens: (string | undefined)[] = [];
  const api = {
    list: async (_: unknown, { pageToken }: ListQuery): Promise<ResourcePage<ExternalResource>> => {
      const page = pages[pageTokens.length] ?? { uids: "", totalCount: 0 };
      pageTokens.push(pageToken);
      const more = pageTokens.length < pages.length;
      return {
        resources: Array.from(page.uids, group),
        totalCount: page.totalCount,
        ...(more ? { nextPageToken: String(pageTokens.length) } : {}),
      };
    },
  } as unknown as PlatformApi;
  return { pageTokens, all: () => listAll(api, groupCollection, {}, signal) };
}

describe("a list", () => {
  it.each([
    ["of one page is stable", [{ uids: "12", totalCount: 2 }], true],
    [
      "of two pages is stable",
      [
        { uids: "12", totalCount: 3 },
        { uids: "3", totalCount: 3 },
      ],
      true,
    ],
    ["without resources is stable", [{ uids: "", totalCount: 0 }], true],
    [
      "whose total changes between pages is not stable",
      [
        { uids: "12", totalCount: 3 },
        { uids: "3", totalCount: 4 },
      ],
      false,
    ],
    [
      "whose total differs from the number of resources is not stable",
      [
        { uids: "12", totalCount: 4 },
        { uids: "3", totalCount: 4 },
      ],
      false,
    ],
  ])("%s", async (_, pages, stable) => {
    const listing = await respondingWith(...pages).all();
    expect(listing.stable).toBe(stable);
    expect(listing.resources).toHaveLength(pages.map(({ uids }) => uids).join("").length);
  });

  it("requests each page with the page token of the one before", async () => {
    const { pageTokens, all } = respondingWith(
      { uids: "1", totalCount: 3 },
      { uids: "2", totalCount: 3 },
      { uids: "3", totalCount: 3 },
    );
    await all();
    expect(pageTokens).toEqual([undefined, "1", "2"]);
  });

  it("fails if a page starts over", async () => {
    await expect(respondingWith({ uids: "12", totalCount: 3 }, { uids: "12", totalCount: 3 }).all()).rejects.toThrow(
      "started over",
    );
  });
});
