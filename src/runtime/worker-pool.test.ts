import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import { Controller, type Result } from "./controller.ts";
import { WorkerPool } from "./worker-pool.ts";

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

function newController(name: string, reconcile: (key: string, signal: AbortSignal) => Promise<Result>): Controller {
  return new Controller({ name, reconcile, clock, random: () => 0.5 });
}

const done: Result = { type: "done" };

/** A controller whose reconciles end when `finish` is called. */
function gated(name: string) {
  const started: string[] = [];
  const gates = new Map<string, () => void>();
  const controller = newController(name, (key, signal) => {
    started.push(key);
    return new Promise((resolve, reject) => {
      gates.set(key, () => resolve(done));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  });
  return { controller, started, finish: (key: string) => gates.get(key)?.() };
}

/** Two controllers that share one worker, and the order of their reconciles: `a1`, `b1`. */
function oneWorker() {
  const order: string[] = [];
  const append = (name: string) => (key: string) => {
    order.push(name + key);
    return Promise.resolve(done);
  };
  const a = newController("a", append("a"));
  const b = newController("b", append("b"));
  return { a, b, order, pool: new WorkerPool({ controllers: [a, b], workers: 1, clock }) };
}

test("never runs more reconciles at once than there are workers, over all controllers", async () => {
  const a = gated("a");
  const b = gated("b");
  const pool = new WorkerPool({ controllers: [a.controller, b.controller], workers: 3, clock });
  for (const key of ["1", "2", "3"]) {
    a.controller.enqueue(key);
    b.controller.enqueue(key);
  }
  pool.start(a.controller);
  pool.start(b.controller);
  await settled();
  expect(pool.active).toBe(3);
  expect([a.started, b.started]).toEqual([["1", "2"], ["1"]]);
  a.finish("1");
  await settled();
  expect(pool.active).toBe(3);
  expect([a.started, b.started]).toEqual([
    ["1", "2"],
    ["1", "2"],
  ]);
});

test("takes no key before start", async () => {
  const a = gated("a");
  const pool = new WorkerPool({ controllers: [a.controller], workers: 1, clock });
  a.controller.enqueue("1");
  await settled();
  expect(a.started).toEqual([]);
  pool.start(a.controller);
  await settled();
  expect(a.started).toEqual(["1"]);
  expect(() => pool.start(a.controller)).toThrow("only once");
});

test("takes high priority in one controller before low priority in another", async () => {
  const { a, b, order, pool } = oneWorker();
  for (const key of ["1", "2"]) a.enqueue(key, { priority: "low" });
  for (const key of ["1", "2"]) b.enqueue(key);
  pool.start(a);
  pool.start(b);
  await settled();
  expect(order).toEqual(["b1", "b2", "a1", "a2"]);
});

test("a flood of keys in one controller does not delay another", async () => {
  const { a, b, order, pool } = oneWorker();
  for (let key = 0; key < 100; key++) a.enqueue(String(key));
  b.enqueue("0");
  pool.start(a);
  pool.start(b);
  await settled();
  expect(order.indexOf("b0")).toBeLessThan(3);
  expect(order).toHaveLength(101);
});

test("reconciles that never wait do not block the event loop", async () => {
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
  pool.start(busy);
  for (; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(runs).toBeGreaterThan(1);
  expect(runs).toBeLessThan(tooMany);
  await pool.stop({ graceMs: 1000 });
});

describe("stop", () => {
  test("takes no more keys, waits for current reconciles, and returns true if all ended by themselves", async () => {
    const a = gated("a");
    const pool = new WorkerPool({ controllers: [a.controller], workers: 1, clock });
    a.controller.enqueue("1");
    a.controller.enqueue("2");
    a.controller.enqueue("3", { delayMs: 60_000 });
    pool.start(a.controller);
    await settled();
    const stopped = pool.stop({ graceMs: 5000 });
    await clock.advance(4000);
    a.finish("1");
    expect(await stopped).toBe(true);
    expect(a.started).toEqual(["1"]);
    expect(clock.pending).toBe(0);
  });

  test("aborts reconciles that do not end in time, and returns false", async () => {
    const a = gated("a");
    const pool = new WorkerPool({ controllers: [a.controller], workers: 1, clock });
    a.controller.enqueue("1");
    pool.start(a.controller);
    await settled();
    const stopped = pool.stop({ graceMs: 5000 });
    await clock.advance(5000);
    expect(await stopped).toBe(false);
    expect(pool.active).toBe(0);
  });

  test("aborts at once without a grace period", async () => {
    const a = gated("a");
    const pool = new WorkerPool({ controllers: [a.controller], workers: 1, clock });
    a.controller.enqueue("1");
    pool.start(a.controller);
    await settled();
    expect(await pool.stop({ graceMs: 0 })).toBe(false);
  });
});

test("says each time that nothing is left to do, and not while a reconcile runs or a key is ready", async () => {
  const idle: string[] = [];
  const a = gated("a");
  const pool = new WorkerPool({
    controllers: [a.controller],
    workers: 1,
    clock,
    onIdle: () => idle.push(a.started.join()),
  });
  a.controller.enqueue("1");
  a.controller.enqueue("2");
  pool.start(a.controller);
  await settled();
  a.finish("1");
  await settled();
  expect(idle).toEqual([]);
  a.finish("2");
  await settled();
  expect(idle).toEqual(["1,2"]);
  a.controller.enqueue("3");
  await settled();
  a.finish("3");
  await settled();
  expect(idle).toEqual(["1,2", "1,2,3"]);
});
