import { describe, expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { GatheredReads } from "./gathered-reads.ts";

const readMs = 20;

/** Lets callers ask at these times. @returns when each read started, and how many callers it served */
async function readsFor(arrivals: readonly number[]): Promise<Record<number, number>> {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const reads: Record<number, number> = {};
  const gathered = new GatheredReads({
    read: async (requests: readonly number[]) => {
      const startedAt = clock.monotonic();
      reads[startedAt] = requests.length;
      await clock.sleep(readMs, signal);
      return startedAt;
    },
    clock,
    signal,
  });
  const results: Promise<number>[] = [];
  for (const at of arrivals) {
    if (at > clock.monotonic()) await clock.advance(at - clock.monotonic());
    results.push(gathered.join(at));
  }
  await clock.advance(1_000);
  for (const [caller, startedAt] of (await Promise.all(results)).entries())
    expect(startedAt).toBeGreaterThanOrEqual(arrivals[caller] ?? Infinity);
  return reads;
}

const every = (ms: number, count: number, from = 0) => Array.from({ length: count }, (_, number) => from + number * ms);

describe("a read that callers share", () => {
  it("starts at once for a caller who is alone, even if another one has just been served", async () => {
    expect(await readsFor([0, 20, 40, 60])).toEqual({ 0: 1, 20: 1, 40: 1, 60: 1 });
  });

  it("serves all who ask within a tenth of a second, once one had to wait", async () => {
    expect(await readsFor(every(10, 25))).toEqual({ 0: 1, 100: 9, 200: 10, 300: 5 });
  });

  it("serves all who ask at once", async () => {
    expect(await readsFor([0, 0, 0])).toEqual({ 0: 3 });
  });

  it("does not wait for more when nearly all workers wait", async () => {
    expect(await readsFor([0, ...every(1, 30, 1)])).toEqual({ 0: 1, 12: 12, 24: 12, 124: 6 });
  });

  it("starts at once again after a quiet time", async () => {
    expect(await readsFor([0, 0, 200, 230])).toEqual({ 0: 2, 200: 1, 230: 1 });
  });

  it("fails for all who share it, and the next one does not wait", async () => {
    const clock = new ManualClock();
    const failures = [new Error("away")];
    const read = async (requests: readonly string[]) => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return requests.join();
    };
    const gathered = new GatheredReads({ read, clock, signal: new AbortController().signal });
    const [first, second] = [gathered.join("a"), gathered.join("b")];
    await expect(first).rejects.toThrow("away");
    await expect(second).rejects.toThrow("away");
    await expect(gathered.join("c")).resolves.toBe("c");
  });

  it("ends with its signal", async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const gathered = new GatheredReads({ read: async () => "read", clock, signal: stop.signal });
    await Promise.all([gathered.join("a"), gathered.join("b")]);
    const waiting = gathered.join("c");
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
  });
});
