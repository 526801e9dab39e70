import { describe, expect, it } from "vitest";
import type { ListQuery, Page, PlatformApi } from "./api.ts";
import { listAll } from "./list-all.ts";
import type { ExternalGroup } from "./external-resource.ts";

const row = (digit: string): ExternalGroup => ({
  uid: `${"a".repeat(40)}/${digit.repeat(16)}`,
  name: "",
  description: "",
});
const { signal } = new AbortController();

/** A platform that answers with these pages, whatever is asked. */
function answering(...pages: readonly { readonly rows: string; readonly totalCount: number }[]) {
  const asked: (string | undefined)[] = [];
  const api = {
    list: async (_: string, { pageToken }: ListQuery): Promise<Page<ExternalGroup>> => {
      const page = pages[asked.length] ?? { rows: "", totalCount: 0 };
      asked.push(pageToken);
      const more = asked.length < pages.length;
      return {
        rows: Array.from(page.rows, row),
        totalCount: page.totalCount,
        ...(more ? { nextPageToken: String(asked.length) } : {}),
      };
    },
  } as unknown as PlatformApi;
  return { asked, all: () => listAll(api, "groups", {}, signal) };
}

describe("a list of several pages", () => {
  it.each([
    ["of one page is stable", [{ rows: "12", totalCount: 2 }], true],
    [
      "of two pages is stable",
      [
        { rows: "12", totalCount: 3 },
        { rows: "3", totalCount: 3 },
      ],
      true,
    ],
    ["of nothing is stable", [{ rows: "", totalCount: 0 }], true],
    [
      "whose total changed is not",
      [
        { rows: "12", totalCount: 3 },
        { rows: "3", totalCount: 4 },
      ],
      false,
    ],
    [
      "whose total is not what came is not",
      [
        { rows: "12", totalCount: 4 },
        { rows: "3", totalCount: 4 },
      ],
      false,
    ],
  ])("%s", async (_, pages, stable) => {
    const listing = await answering(...pages).all();
    expect(listing.stable).toBe(stable);
    expect(listing.rows).toHaveLength(pages.map(({ rows }) => rows).join("").length);
  });

  it("asks for each page with the token of the one before", async () => {
    const { asked, all } = answering(
      { rows: "1", totalCount: 3 },
      { rows: "2", totalCount: 3 },
      { rows: "3", totalCount: 3 },
    );
    await all();
    expect(asked).toEqual([undefined, "1", "2"]);
  });

  it("that starts over in the middle is no list", async () => {
    await expect(answering({ rows: "12", totalCount: 3 }, { rows: "12", totalCount: 3 }).all()).rejects.toThrow(
      "started over",
    );
  });
});
