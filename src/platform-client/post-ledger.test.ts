import { describe, expect, it } from "vitest";
import { PostLedger } from "./post-ledger.ts";

const harmless = (error: unknown) => error === "refused";
const lost = () => Promise.reject(new Error("lost"));

function ledgerAt(now: number) {
  const ledger = new PostLedger();
  const track = (post: () => Promise<unknown>, key = "key") =>
    ledger.track(key, () => now, post, harmless).catch(() => undefined);
  return { ledger, track };
}

describe("after a POST", () => {
  it("that was answered, its outcome is known", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(async () => "made");
    expect([ledger.unknownSince("key"), ledger.mayHaveCreated("key"), ledger.mayHaveCreatedTwice("key")]).toEqual([
      undefined,
      true,
      false,
    ]);
    expect(ledger.mayStillTakeEffect).toBe(false);
  });

  it("that was refused, nothing was made", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(() => Promise.reject("refused"));
    expect([ledger.unknownSince("key"), ledger.mayHaveCreated("key")]).toEqual([undefined, false]);
  });

  it("whose answer was lost, it is unknown from its sending on, until it is seen", async () => {
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

  it("that was refused after one whose answer was lost, something may have been made all the same", async () => {
    const { ledger, track } = ledgerAt(5);
    await track(lost);
    await track(() => Promise.reject("refused"));
    expect(ledger.mayHaveCreated("key")).toBe(true);
  });

  it("whose answer was lost while another of the key was answered, it is unknown", async () => {
    const { ledger, track } = ledgerAt(5);
    const first = Promise.withResolvers<void>();
    const under = track(() => first.promise.then(lost));
    await track(async () => "made");
    first.resolve();
    await under;
    expect(ledger.unknownSince("key")).toBe(5);
  });
});

describe("on the way out", () => {
  it("a POST under way may still land, also when its call was aborted", async () => {
    const { ledger, track } = ledgerAt(5);
    const answer = Promise.withResolvers<string>();
    const under = track(() => answer.promise);
    expect(ledger.mayStillTakeEffect).toBe(true);
    ledger.noteAbort();
    answer.resolve("made");
    await under;
    expect(ledger.mayStillTakeEffect).toBe(true);
  });

  it("none under way, nothing lands", () => {
    const { ledger } = ledgerAt(5);
    ledger.noteAbort();
    expect(ledger.mayStillTakeEffect).toBe(false);
  });
});
