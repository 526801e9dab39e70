import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { addressShare } from "./share.ts";
import { Turns } from "./turns.ts";

/** Blocks the event loop as a request does that takes this long (ms). */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe("Turns", () => {
  it("let a request begin at once while there is time", () => {
    expect(new Turns().take([addressShare("192.0.2.1")])).toBeUndefined();
  });

  it("serve other events, and other addresses, before all requests of one", async () => {
    const turns = new Turns();
    let [begun, turnsOfLoop, before]: [number, number, number | undefined] = [0, 0, undefined];
    const request = (address: string, run: () => void) => {
      const turn = turns.take([addressShare(address)]);
      if (turn !== undefined) return turn.then(run);
      run();
      return undefined;
    };
    const busy = Array.from({ length: 100 }, () =>
      request("192.0.2.1", () => {
        begun++;
        work(1);
      }),
    );
    const newcomer = request("192.0.2.2", () => (before = begun));
    const over = new AbortController();
    const all = Promise.all([...busy, newcomer]).then(() => over.abort());
    for (; !over.signal.aborted; turnsOfLoop++) await nextTurn();
    await all;
    expect(begun).toBe(100);
    expect(before).toBeLessThan(50);
    expect(turnsOfLoop).toBeGreaterThan(5);
  });
});
