import { describe, expect, it } from "vitest";
import type { ListQuery, ListScope, ResourcePage, PlatformApi } from "./api.ts";
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
  return { pageTokens, all: (scope?: ListScope) => listAll(api, groupCollection, scope ? { scope } : {}, signal) };
}

/** A platform whose pages have one resource each, and never end. */
function respondingEndlessly(resource: (page: number) => ExternalResource | undefined) {
  let pages = 0;
  const api = {
    list: async (): Promise<ResourcePage<ExternalResource>> => {
      const one = resource((pages += 1));
      return { resources: one === undefined ? [] : [one], totalCount: 9, nextPageToken: String(pages) };
    },
  } as unknown as PlatformApi;
  return { pages: () => pages, all: () => listAll(api, groupCollection, {}, signal) };
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

  it.each<[string, ListScope]>([
    ["children of another group", { childrenOf: `${"a".repeat(40)}/1111111111111111` }],
    ["descendants of another group", { descendantsOf: `${"a".repeat(40)}/1111111111111111` }],
    ["descendants of another root", { descendantsOf: "b".repeat(40) }],
  ])("fails if a resource is not in the scope: %s", async (_, scope) => {
    await expect(respondingWith({ uids: "12", totalCount: 2 }).all(scope)).rejects.toMatchObject({
      problem: { kind: "noResponse", message: expect.stringContaining("outside of the scope") },
    });
  });

  it.each<[string, ListScope]>([
    ["children", { childrenOf: "a".repeat(40) }],
    ["descendants", { descendantsOf: "a".repeat(40) }],
  ])("contains the %s of the group", async (_, scope) => {
    expect((await respondingWith({ uids: "12", totalCount: 2 }).all(scope)).resources).toHaveLength(2);
  });

  it("fails if a page is larger than requested", async () => {
    const uids = "1".repeat(201);
    await expect(respondingWith({ uids, totalCount: 201 }).all()).rejects.toThrow("more than 200");
  });

  it("fails if its pages do not end", async () => {
    const { pages, all } = respondingEndlessly(() => undefined);
    await expect(all()).rejects.toThrow("pages");
    expect(pages()).toBeLessThanOrEqual(10_000);
  });

  it("fails if its resources take too much memory", async () => {
    const description = "x".repeat(8 * 1024 * 1024);
    const { pages, all } = respondingEndlessly((page) => ({
      uid: `${"a".repeat(40)}/${page.toString(16).padStart(16, "0")}`,
      description,
    }));
    await expect(all()).rejects.toThrow("too large");
    expect(pages()).toBeLessThanOrEqual(33);
  });

  it("fails if a page starts over", async () => {
    await expect(respondingWith({ uids: "12", totalCount: 3 }, { uids: "12", totalCount: 3 }).all()).rejects.toThrow(
      "started over",
    );
  });
});
