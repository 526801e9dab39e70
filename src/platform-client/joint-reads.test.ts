import { describe, expect, it } from "vitest";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import type { ListQuery, PlatformApi } from "./api.ts";
import type { ResourceType } from "./collection.ts";
import { groupCollection as collection } from "./group-collection.testing.ts";
import { JointReads } from "./joint-reads.ts";
import { PostLedger } from "./post-ledger.ts";
import { groupResource, problemOf, rejected, root } from "./session-world.testing.ts";
import { SessionViews } from "./session-views.ts";

const uidOf = (number: number) => `${root}/${number.toString(16).padStart(16, "0")}`;
const uids = (count: number) => Array.from({ length: count }, (_, number) => uidOf(number));

/** Joint reads of a platform with ten groups. */
function start(answer: (query: ListQuery) => Error | undefined = () => undefined) {
  const clock = new ManualClock();
  const views = new SessionViews([collection], new PostLedger(15_000), () => undefined);
  const calls: string[] = [];
  const changed: string[] = [];
  const existing = new Map(uids(10).map((uid) => [uid, groupResource(uid)]));
  let ignoresFilter = false;
  let neverEnds = false;
  const api = {
    list: async (_: ResourceType, query: ListQuery) => {
      calls.push(`list ${query.uids?.length}`);
      await clock.sleep(5, new AbortController().signal);
      const error = answer(query);
      if (error !== undefined) throw error;
      if (neverEnds) return { resources: [], totalCount: 0, nextPageToken: `next ${calls.length}` };
      const resources = [...existing.values()].filter(({ uid }) => ignoresFilter || query.uids?.includes(uid) === true);
      return { resources, totalCount: resources.length, ...(ignoresFilter ? { nextPageToken: "next" } : {}) };
    },
  } as unknown as PlatformApi;
  const reads = new JointReads({
    api,
    views,
    read: async (_, uid) => {
      calls.push(`get ${uid.at(-1)}`);
      views.record(collection, groupResource(uid), clock.monotonic());
    },
    onListed: (_, listed) => changed.push(...listed),
    clock,
    signal: new AbortController().signal,
  });
  return {
    clock,
    views,
    calls,
    changed,
    existing,
    neverEnd: () => {
      neverEnds = true;
    },
    ignoreFilter: () => {
      ignoresFilter = true;
    },
    read: async (uid: string, others: readonly string[] = [], startedAfter = clock.monotonic()) => {
      const reading = reads.read(collection, uid, startedAfter, others);
      reading.catch(() => undefined);
      await settled();
      return { done: () => clock.advance(5).then(() => reading), reading };
    },
  };
}

describe("a joint read", () => {
  it("of one resource is a GET", async () => {
    const { read, calls } = start();
    await (await read(uidOf(1), [uidOf(1)])).reading;
    expect(calls).toEqual(["get 1"]);
  });

  it("of several is one list, which serves those that come meanwhile", async () => {
    const { read, calls, views, changed } = start();
    const first = await read(uidOf(1), uids(8));
    const second = await read(uidOf(5), [], 0);
    await Promise.all([first.done(), second.reading]);
    expect(calls).toEqual(["list 8"]);
    expect(views.viewOf(collection).stateOf(uidOf(7))).toMatchObject({ is: "present", seenAt: 0 });
    expect(changed).toHaveLength(8);
  });

  it("does not serve who needs a read that starts later", async () => {
    const { read, calls, clock } = start();
    const first = await read(uidOf(1), uids(3));
    await clock.advance(1);
    const second = await read(uidOf(2));
    await first.done();
    await clock.advance(100);
    await second.reading;
    expect(calls).toEqual(["list 3", "get 2"]);
  });

  it("ends on a platform whose pages are empty and never end", async () => {
    const { read, calls, clock, neverEnd } = start();
    neverEnd();
    const { reading } = await read(uidOf(1), uids(3));
    await clock.advance(100);
    await reading;
    expect(calls).toEqual(["list 3", "list 3", "list 3", "get 1"]);
  });

  it("is one list of all that come in quick succession", async () => {
    const { read, calls, clock, views } = start();
    const reads = [await read(uidOf(1), uids(3))];
    for (const number of [3, 4, 5]) {
      await clock.advance(2);
      reads.push(await read(uidOf(number)));
    }
    await clock.advance(100);
    await Promise.all(reads.map(({ reading }) => reading));
    expect(calls).toEqual(["list 3", "list 3"]);
    expect(views.viewOf(collection).stateOf(uidOf(5))).toMatchObject({ is: "present", seenAt: 100 });
  });

  it("reads by itself what a list lacks: it may be that nobody may list it", async () => {
    const { read, calls, existing } = start();
    existing.delete(uidOf(1));
    await (await read(uidOf(1), uids(3))).done();
    expect(calls).toEqual(["list 3", "get 1"]);
  });

  it("reads by itself where the platform does not know the filter, or ignores it", async () => {
    const refusing = start(() => rejected("INVALID_ARGUMENT"));
    await (await refusing.read(uidOf(1), uids(3))).done();
    expect(refusing.calls).toEqual(["list 3", "get 1"]);
    const ignoring = start();
    ignoring.ignoreFilter();
    await (await ignoring.read(`${root}/00000000000000ff`, uids(3))).done();
    expect(ignoring.calls).toEqual(["list 4", "get f"]);
  });

  it("fails as the list fails, and then serves nobody", async () => {
    const { read, calls } = start(() => rejected("UNAVAILABLE"));
    const first = await read(uidOf(1), uids(3));
    const second = await read(uidOf(2), [], 0);
    expect(await problemOf(first.done())).toMatchObject({ kind: "rejected" });
    await second.reading;
    expect(calls).toEqual(["list 3", "get 2"]);
  });

  it("has no more resources than an address can have", async () => {
    const { read, calls } = start();
    await (await read(uidOf(1), uids(500))).done();
    expect(Number(calls[0]?.slice("list ".length))).toBeGreaterThan(50);
    expect(Number(calls[0]?.slice("list ".length))).toBeLessThan(100);
  });

  it("never replaces what is known to be newer", async () => {
    const { read, clock, views } = start();
    const first = await read(uidOf(1), uids(3));
    await clock.advance(1);
    views.record(collection, groupResource(uidOf(2), "newer"), clock.monotonic());
    await first.done();
    expect(views.viewOf(collection).stateOf(uidOf(2))).toMatchObject({ resource: { name: "newer" } });
  });
});
