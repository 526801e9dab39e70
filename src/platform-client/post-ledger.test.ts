import { describe, expect, it } from "vitest";
import { PostLedger } from "./post-ledger.ts";

const provesNoEffect = (error: unknown) => error === "rejected";
const lost = () => Promise.reject(new Error("lost"));

function ledgerAt(now: number) {
  const ledger = new PostLedger();
  const track = (post: () => Promise<unknown>, key = "key") =>
    ledger.track(key, now, post, provesNoEffect).catch(() => undefined);
  return { ledger, track };
}

describe("after a POST", () => {
  it("that succeeded, the outcome is known", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(async () => "created");
    expect([ledger.unknownSince("key"), ledger.mayHaveCreated("key"), ledger.mayHaveCreatedTwice("key")]).toEqual([
      undefined,
      true,
      false,
    ]);
    expect(ledger.mayStillTakeEffect).toBe(false);
  });

  it("that was rejected, nothing was created", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(() => Promise.reject("rejected"));
    expect([ledger.unknownSince("key"), ledger.mayHaveCreated("key")]).toEqual([undefined, false]);
  });

  it("with a lost response, the outcome is unknown since it was sent, until its resource is seen", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(lost);
    expect([ledger.unknownSince("key"), ledger.unsettled, ledger.mayStillTakeEffect]).toEqual([5, true, true]);
    ledger.settle("key");
    expect([ledger.unknownSince("key"), ledger.unsettled, ledger.mayStillTakeEffect]).toEqual([
      undefined,
      false,
      false,
    ]);
    expect([ledger.mayHaveCreated("key"), ledger.mayHaveCreatedTwice("key")]).toEqual([true, true]);
  });

  it("that was rejected after one with a lost response, a resource may have been created", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(lost);
    await track(() => Promise.reject("rejected"));
    expect(ledger.mayHaveCreated("key")).toBe(true);
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

describe("at shutdown", () => {
  it("a POST in flight may still take effect, also after its call was aborted", async () => {
    const { ledger, track } = ledgerAt(5);
    const response = Promise.withResolvers<string>();
    const inFlight = track(() => response.promise);
    expect(ledger.mayStillTakeEffect).toBe(true);
    ledger.noteAbort();
    response.resolve("created");
    await inFlight;
    expect(ledger.mayStillTakeEffect).toBe(true);
  });

  it("nothing can take effect without a POST in flight", () => {
    const { ledger } = ledgerAt(5);
    ledger.noteAbort();
    expect(ledger.mayStillTakeEffect).toBe(false);
  });
});
