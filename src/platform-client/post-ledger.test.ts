import { describe, expect, it } from "vitest";
import { PostLedger } from "./post-ledger.ts";

const settleMs = 15_000;
const provesNoEffect = (error: unknown) => error === "rejected";
const lost = (): Promise<never> => Promise.reject(new Error("lost"));
const everywhere = (): boolean => true;

function ledgerAt(sentAt: number, existing: readonly string[] = []) {
  const ledger = new PostLedger(settleMs);
  const track = (send: () => Promise<unknown>) =>
    ledger
      .track({ key: "key", collection: "groups", parent: "parent", sentAt, existing }, send, provesNoEffect)
      .catch(() => undefined);
  return { ledger, track };
}

describe("after a POST", () => {
  it("that succeeded, no outcome is unknown", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(async () => "created");
    expect([ledger.unknownSince("key"), ledger.tracks, ledger.mayStillTakeEffect(20)]).toEqual([
      undefined,
      false,
      false,
    ]);
  });

  it("that was rejected, nothing is remembered", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(() => Promise.reject("rejected"));
    expect([ledger.unknownSince("key"), ledger.tracks]).toEqual([undefined, false]);
  });

  it("with a lost response, the outcome is unknown since it was sent, until its resource is seen", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(lost);
    expect([ledger.unknownSince("key"), ledger.mayStillTakeEffect(20)]).toEqual([5, true]);
    ledger.seen("key", "uid", 6);
    expect([ledger.unknownSince("key"), ledger.mayStillTakeEffect(20)]).toEqual([undefined, false]);
    expect(ledger.createdBy("key")).toEqual(["uid"]);
  });

  it("with a lost response, the outcome stays unknown although a resource from before is seen", async () => {
    const { ledger, track } = ledgerAt(5, ["earlier"]);
    await track(lost);
    ledger.seen("key", "earlier", 6);
    expect([ledger.unknownSince("key"), ledger.createdBy("key")]).toEqual([5, []]);
  });

  it("that was rejected after one with a lost response, the outcome of that one is unknown", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(lost);
    await track(() => Promise.reject("rejected"));
    expect(ledger.unknownSince("key")).toBe(5);
  });

  it("with a lost response, the outcome stays unknown although a concurrent POST of the key succeeded", async () => {
    const { ledger, track } = ledgerAt(5);
    const first = Promise.withResolvers<void>();
    const inFlight = track(() => first.promise.then(lost));
    await track(async () => "created");
    first.resolve();
    await inFlight;
    expect(ledger.unknownSince("key")).toBe(5);
  });
});

describe("the settle time of a POST with a lost response", () => {
  it("ends with a list of its parent that started later: nothing that appears afterwards is attributed to it", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(lost);
    ledger.seen("key", "first", 5 + settleMs);
    ledger.seen("key", "second", 5 + settleMs);
    ledger.listed("groups", everywhere, 5 + settleMs, true);
    ledger.seen("key", "by hand", 6 + settleMs);
    expect(ledger.createdBy("key")).toEqual(["first", "second"]);
  });

  it("ends at the latest after twice that time, even without a list", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(lost);
    ledger.seen("key", "by hand", 6 + 2 * settleMs);
    expect(ledger.createdBy("key")).toEqual([]);
  });

  it.each([
    ["started too early", "groups", everywhere, 4 + settleMs, true],
    ["was not stable", "groups", everywhere, 5 + settleMs, false],
    ["is of another parent", "groups", (): boolean => false, 5 + settleMs, true],
    ["is of another collection", "identities", everywhere, 5 + settleMs, true],
  ] as const)("does not end with a list that %s", async (_, collection, covers, startedAt, stable) => {
    const { ledger, track } = ledgerAt(5);
    await track(lost);
    ledger.listed(collection, covers, startedAt, stable);
    expect(ledger.unknownSince("key")).toBe(5);
  });

  it("is forgotten after an hour", async () => {
    const { ledger, post } = bounded();
    await ledger.track(post("old", 0), lost, provesNoEffect).catch(() => undefined);
    ledger.listed("groups", everywhere, settleMs, true);
    await ledger.track(post("new", 3_600_001), async () => "created", provesNoEffect);
    expect(ledger.tracks).toBe(false);
  });
});

function bounded(limits = {}) {
  const ledger = new PostLedger(settleMs, limits);
  const post = (key: string, sentAt: number) => ({ key, collection: "groups", parent: "p", sentAt, existing: [] });
  return { ledger, post };
}

describe("the bounds of the ledger", () => {
  const unseen = () => false;

  it("a POST that no list settles is forgotten after an hour, and a later list is demanded from then on", async () => {
    const { ledger, post } = bounded();
    await ledger.track(post("old", 5), lost, provesNoEffect).catch(() => undefined);
    expect(ledger.createdUnseenAt("any", unseen)).toBeUndefined();
    await ledger.track(post("new", 3_600_006), async () => "created", provesNoEffect);
    expect(ledger.tracks).toBe(false);
    expect([ledger.createdUnseenAt("old", unseen), ledger.createdUnseenAt("any", unseen)]).toEqual([
      5 + settleMs,
      5 + settleMs,
    ]);
  });

  it("more entries than the limit: the oldest are forgotten, and may still take effect", async () => {
    const { ledger, post } = bounded({ entries: 2 });
    for (const [key, sentAt] of [
      ["a", 0],
      ["b", 1],
      ["a", 2],
      ["c", 3],
    ] as const)
      await ledger.track(post(key, sentAt), lost, provesNoEffect).catch(() => undefined);
    expect(["a", "b", "c"].map((key) => ledger.unknownSince(key))).toEqual([2, undefined, 3]);
    expect(ledger.createdUnseenAt("b", unseen)).toBe(1 + settleMs);
    ledger.listed("groups", everywhere, 3 + settleMs, true);
    expect(ledger.mayStillTakeEffect(settleMs)).toBe(true);
    expect(ledger.mayStillTakeEffect(1 + settleMs)).toBe(false);
  });

  it("more creations than the limit: the oldest are forgotten, and a later list is demanded", () => {
    const { ledger } = bounded({ creations: 2 });
    for (const [at, key] of ["a", "b", "c"].entries()) ledger.created(key, `uid of ${key}`, at);
    expect(["a", "b", "c"].map((key) => ledger.createdUnseenAt(key, unseen))).toEqual([0, 1, 2]);
    ledger.created("d", "uid of d", 3);
    expect(["a", "b", "c", "d", "e"].map((key) => ledger.createdUnseenAt(key, unseen))).toEqual([1, 1, 2, 3, 1]);
    expect(ledger.createdUnseenAt("c", () => true)).toBeUndefined();
  });

  it("what was forgotten cannot be in a group that was created later", () => {
    const { ledger } = bounded({ creations: 1 });
    for (const [at, key] of ["a", "b"].entries()) ledger.created(key, `uid of ${key}`, at);
    expect(ledger.createdUnseenAt("c", unseen, 1)).toBeUndefined();
    expect(ledger.createdUnseenAt("c", unseen, 0)).toBe(0);
  });

  it("more equal resources than the limit are not attributed to a POST, and a list is demanded", async () => {
    const { ledger, post } = bounded();
    await ledger.track(post("key", 5), lost, provesNoEffect).catch(() => undefined);
    for (let count = 0; count < 101; count += 1) ledger.seen("key", `uid-${count}`, 6);
    expect(ledger.createdBy("key")).toHaveLength(100);
    expect(ledger.unknownSince("key", () => true)).toBe(5);
  });
});

describe("at shutdown", () => {
  it("a POST in flight may still take effect, also after its call was aborted", async () => {
    const { ledger, track } = ledgerAt(5);
    const response = Promise.withResolvers<string>();
    const inFlight = track(() => response.promise);
    expect(ledger.mayStillTakeEffect(20)).toBe(true);
    ledger.noteAbort();
    response.resolve("created");
    await inFlight;
    expect(ledger.mayStillTakeEffect(20)).toBe(true);
  });

  it("a POST whose outcome is unknown may take effect until its settle time has passed", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(lost).catch(() => undefined);
    expect(ledger.mayStillTakeEffect(5 + settleMs - 1)).toBe(true);
    expect(ledger.mayStillTakeEffect(5 + settleMs)).toBe(false);
  });

  it("nothing can take effect without a POST in flight", () => {
    const { ledger } = ledgerAt(5);
    ledger.noteAbort();
    expect(ledger.mayStillTakeEffect(20)).toBe(false);
  });
});

describe("what a POST created", () => {
  const unseen = () => false;

  it("is known to have been created to whoever has not seen it", () => {
    const ledger = new PostLedger(settleMs);
    ledger.created("key", "uid", 5);
    expect([ledger.createdUnseenAt("key", unseen), ledger.createdUnseenAt("other", unseen)]).toEqual([5, undefined]);
    expect(ledger.createdUnseenAt("key", (uid) => uid === "uid")).toBeUndefined();
  });

  it("is the latest of several with one key", () => {
    const ledger = new PostLedger(settleMs);
    ledger.created("key", "first", 5);
    ledger.created("key", "second", 6);
    expect(ledger.createdUnseenAt("key", (uid) => uid === "first")).toBe(6);
    expect(ledger.createdUnseenAt("key", (uid) => uid === "second")).toBeUndefined();
  });

  it("is forgotten after an hour, in the order of creation: a list is demanded that started later", () => {
    const ledger = new PostLedger(settleMs);
    for (const [key, at] of [
      ["a", 0],
      ["b", 1],
      ["a", 2],
    ] as const)
      ledger.created(key, `uid of ${key}`, at);
    ledger.created("c", "uid of c", 3_600_002);
    expect(["a", "b", "c"].map((key) => ledger.createdUnseenAt(key, unseen))).toEqual([2, 1, 3_600_002]);
  });
});
