import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import { Controller, type Result } from "./controller.ts";
import { WorkerPool } from "./worker-pool.ts";

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

function controller(name: string, reconcile: (key: string, signal: AbortSignal) => Promise<Result>): Controller {
  return new Controller({ name, reconcile, clock, random: () => 0.5 });
}

const done: Result = { type: "done" };

/** A controller whose reconciles end when told to. */
function gated(name: string) {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const made = controller(name, (key, signal) => {
    begun.push(key);
    return new Promise((resolve, reject) => {
      gates.set(key, () => resolve(done));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  });
  return { made, begun, finish: (key: string) => gates.get(key)?.() };
}

test("never more at once than there are workers, over all controllers", async () => {
  const a = gated("a");
  const b = gated("b");
  const pool = new WorkerPool({ controllers: [a.made, b.made], workers: 3, clock });
  for (const key of ["1", "2", "3"]) {
    a.made.enqueue(key);
    b.made.enqueue(key);
  }
  pool.start();
  await settled();
  expect(pool.active).toBe(3);
  expect([a.begun, b.begun]).toEqual([["1", "2"], ["1"]]);
  a.finish("1");
  await settled();
  expect(pool.active).toBe(3);
  expect([a.begun, b.begun]).toEqual([
    ["1", "2"],
    ["1", "2"],
  ]);
});

test("nothing starts before start", async () => {
  const a = gated("a");
  const pool = new WorkerPool({ controllers: [a.made], workers: 1, clock });
  a.made.enqueue("1");
  await settled();
  expect(a.begun).toEqual([]);
  pool.start();
  await settled();
  expect(a.begun).toEqual(["1"]);
  expect(() => pool.start()).toThrow("starts once");
});

test("what is urgent in one controller goes before what is not in another", async () => {
  const order: string[] = [];
  const note = (name: string) => (key: string) => {
    order.push(name + key);
    return Promise.resolve(done);
  };
  const a = controller("a", note("a"));
  const b = controller("b", note("b"));
  const pool = new WorkerPool({ controllers: [a, b], workers: 1, clock });
  for (const key of ["1", "2"]) a.enqueue(key, { priority: "low" });
  for (const key of ["1", "2"]) b.enqueue(key);
  pool.start();
  await settled();
  expect(order).toEqual(["b1", "b2", "a1", "a2"]);
});

test("a flood of one controller does not hold up another", async () => {
  const order: string[] = [];
  const note = (name: string) => (key: string) => {
    order.push(name + key);
    return Promise.resolve(done);
  };
  const a = controller("a", note("a"));
  const b = controller("b", note("b"));
  const pool = new WorkerPool({ controllers: [a, b], workers: 1, clock });
  for (let key = 0; key < 100; key++) a.enqueue(String(key));
  b.enqueue("0");
  pool.start();
  await settled();
  expect(order.indexOf("b0")).toBeLessThan(3);
  expect(order).toHaveLength(101);
});

test("work that never waits leaves the event loop its turn", async () => {
  const tooMany = 1_000_000;
  let runs = 0;
  let turns = 0;
  const busy: Controller = new Controller({
    name: "busy",
    clock: systemClock,
    random: () => 0.5,
    reconcile: (key) => {
      if (++runs < tooMany && turns < 3) busy.enqueue(key);
      return Promise.resolve(done);
    },
  });
  const pool = new WorkerPool({ controllers: [busy], workers: 1, clock: systemClock });
  busy.enqueue("a");
  pool.start();
  for (; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(runs).toBeGreaterThan(1);
  expect(runs).toBeLessThan(tooMany);
  await pool.stop({ graceMs: 1000 });
});

describe("stop", () => {
  test("waits for what runs, takes nothing more, and tells that all ended by itself", async () => {
    const a = gated("a");
    const pool = new WorkerPool({ controllers: [a.made], workers: 1, clock });
    a.made.enqueue("1");
    a.made.enqueue("2");
    a.made.enqueue("3", { delayMs: 60_000 });
    pool.start();
    await settled();
    const stopped = pool.stop({ graceMs: 5000 });
    await clock.advance(4000);
    a.finish("1");
    expect(await stopped).toBe(true);
    expect(a.begun).toEqual(["1"]);
    expect(clock.pending).toBe(0);
  });

  test("aborts what is not through in time, and tells so", async () => {
    const a = gated("a");
    const pool = new WorkerPool({ controllers: [a.made], workers: 1, clock });
    a.made.enqueue("1");
    pool.start();
    await settled();
    const stopped = pool.stop({ graceMs: 5000 });
    await clock.advance(5000);
    expect(await stopped).toBe(false);
    expect(pool.active).toBe(0);
  });

  test("without grace, aborts at once", async () => {
    const a = gated("a");
    const pool = new WorkerPool({ controllers: [a.made], workers: 1, clock });
    a.made.enqueue("1");
    pool.start();
    await settled();
    expect(await pool.stop({ graceMs: 0 })).toBe(false);
  });
});
