import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "./clock.ts";
import { ManualClock } from "./manual-clock.testing.ts";

/** The contract of every clock; `pass` lets time pass. */
describe.each<[string, () => { clock: Clock; pass: (ms: number) => Promise<void> }]>([
  ["system clock", () => ({ clock: systemClock, pass: (ms) => systemClock.sleep(ms, new AbortController().signal) })],
  [
    "manual clock",
    () => {
      const clock = new ManualClock();
      return { clock, pass: (ms) => clock.advance(ms) };
    },
  ],
])("%s", (_, make) => {
  test("advances, and fires a timer once", async () => {
    const { clock, pass } = make();
    const [wall, monotonic] = [clock.now(), clock.monotonic()];
    let calls = 0;
    clock.setTimer(() => calls++, 5);
    await pass(20);
    expect(calls).toBe(1);
    expect(clock.now() - wall).toBeGreaterThanOrEqual(19);
    expect(clock.monotonic() - monotonic).toBeGreaterThanOrEqual(19);
  });

  test("does not fire a cancelled timer", async () => {
    const { clock, pass } = make();
    let calls = 0;
    clock.setTimer(() => calls++, 5)();
    await pass(20);
    expect(calls).toBe(0);
  });

  test("sleep resolves after its time, or rejects at once with the reason of its signal", async () => {
    const { clock, pass } = make();
    const abort = new AbortController();
    const short = clock.sleep(5, abort.signal);
    const long = clock.sleep(100_000, abort.signal);
    await pass(20);
    await short;
    abort.abort(new Error("aborted by the test"));
    await expect(long).rejects.toThrow("aborted by the test");
    await expect(clock.sleep(5, abort.signal)).rejects.toThrow("aborted by the test");
  });
});

test("the manual clock fires timers in order, and runs what one of them started before the next", async () => {
  const clock = new ManualClock();
  const order: string[] = [];
  clock.setTimer(() => order.push("b"), 20);
  clock.setTimer(() => {
    order.push("a");
    void clock.sleep(5, new AbortController().signal).then(() => order.push("a2"));
  }, 10);
  expect(clock.untilNext).toBe(10);
  await clock.advance(30);
  expect(order).toEqual(["a", "a2", "b"]);
});

test("the system clock lets what is ready run in a turn", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("ready"));
  await systemClock.turn();
  expect(order).toEqual(["ready"]);
});
