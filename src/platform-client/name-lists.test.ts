import { describe, expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { ListQuery, PlatformApi } from "./api.ts";
import type { ResourceType } from "./collection.ts";
import { groupCollection as collection } from "./group-collection.testing.ts";
import { NameLists } from "./name-lists.ts";
import { PostLedger } from "./post-ledger.ts";
import type { SessionPermissions } from "./session-permissions.ts";
import { SessionViews } from "./session-views.ts";
import { groupResource, problemOf, rejected, root } from "./session-world.testing.ts";

const uidOf = (number: number) => `${root}/${number.toString(16).padStart(16, "0")}`;

/** Lists of names in a group that has this many children, which are known. */
function start(children = 0) {
  const clock = new ManualClock();
  const views = new SessionViews([collection], new PostLedger(15_000), () => undefined);
  for (let number = 0; number < children; number += 1)
    views.record(collection, groupResource(uidOf(number), `n${number}`), 0);
  const calls: string[] = [];
  const changed: string[] = [];
  const failing: Error[] = [];
  const names = new NameLists({
    api: {
      list: async (_: ResourceType, { filter }: ListQuery) => {
        calls.push(filter?.["name"] ?? "all");
        await clock.sleep(5, new AbortController().signal);
        const error = failing.shift();
        if (error !== undefined) throw error;
        const made = groupResource(uidOf(0xfff), "made by hand");
        const resources = filter === undefined || filter["name"] === made.name ? [made] : [];
        return { resources, totalCount: resources.length };
      },
    } as unknown as PlatformApi,
    permissions: { requireList: async () => undefined } as unknown as SessionPermissions,
    views,
    onListed: (_, listed) => changed.push(...listed),
    clock,
    signal: new AbortController().signal,
  });
  const list = (name: string, startedAfter = clock.monotonic()) => {
    const listing = names.list(collection, root, name, startedAfter);
    listing.catch(() => undefined);
    return listing;
  };
  return {
    clock,
    views,
    calls,
    changed,
    failing,
    list,
    listedAt: (name: string) => names.listedAt(collection, root, name),
  };
}

describe("a list of names", () => {
  it("is one of a single name, which shows what somebody else made", async () => {
    const { clock, list, calls, changed, listedAt, views } = start();
    const listing = list("made by hand");
    await clock.advance(5);
    await listing;
    expect([calls, listedAt("made by hand"), listedAt("another")]).toEqual([["made by hand"], 0, undefined]);
    expect(changed).toEqual([uidOf(0xfff)]);
    expect(views.viewOf(collection).stateOf(uidOf(0xfff)).is).toBe("present");
  });

  it("is one of the group, for all that wait, once single names have cost as much", async () => {
    const { clock, list, calls, listedAt } = start(300);
    const listings = [list("a")];
    await clock.advance(1);
    listings.push(list("b"));
    await clock.advance(100);
    // The group has two pages.
    expect(calls).toEqual(["a", "b"]);
    listings.push(...["c", "d", "e"].map((name) => list(name)));
    await clock.advance(110);
    await Promise.all(listings);
    expect(calls).toEqual(["a", "b", "all"]);
    expect(["c", "e", "anything"].map(listedAt)).toEqual([200, 200, 200]);
  });

  it("does not serve who needs one that starts later", async () => {
    const { clock, list, calls } = start();
    const listings = [list("a"), list("b")];
    await clock.advance(1);
    listings.push(list("c"));
    await clock.advance(105);
    await Promise.all(listings);
    expect(calls).toEqual(["all", "c"]);
  });

  it("starts with a single name again after a quiet time", async () => {
    const { clock, list, calls } = start();
    for (const name of ["a", "b"]) {
      const listing = list(name);
      await clock.advance(20_000);
      await listing;
    }
    expect(calls).toEqual(["a", "b"]);
  });

  it("counts as made when a snapshot started", () => {
    const { views, listedAt } = start();
    views.recordSnapshot(collection, { childrenOf: root }, { resources: [], stable: true }, 7);
    expect(listedAt("a")).toBe(7);
  });

  it("counts for nothing if it failed", async () => {
    const { clock, list, failing, listedAt } = start();
    failing.push(rejected("UNAVAILABLE"));
    const listings = [list("a"), list("b"), list("c")];
    await clock.advance(100);
    for (const listing of listings) expect(await problemOf(listing)).toMatchObject({ kind: "rejected" });
    expect(["a", "b", "c"].map(listedAt)).toEqual([undefined, undefined, undefined]);
    const again = list("c");
    await clock.advance(5);
    await again;
    expect(listedAt("c")).toBe(100);
  });
});
