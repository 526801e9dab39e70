import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { WorkQueue } from "./queue.ts";

let clock: ManualClock;
let queue: WorkQueue;
beforeEach(() => {
  clock = new ManualClock();
  queue = new WorkQueue({ name: "test", clock });
});

function takeAll(): string[] {
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) keys.push(key);
  return keys;
}

describe("exclusion", () => {
  test("a key that is taken is not given out again until it is done, however often it is added", () => {
    queue.add("a");
    expect(takeAll()).toEqual(["a"]);
    queue.add("a");
    queue.add("a");
    expect(takeAll()).toEqual([]);
    queue.done("a");
    expect(takeAll()).toEqual(["a"]);
    queue.done("a");
    expect(takeAll()).toEqual([]);
    expect(queue.size).toBe(0);
  });

  test("what is added for later while it runs waits from its adding, not from its end", async () => {
    queue.add("a");
    queue.take();
    queue.add("a", { delayMs: 100 });
    await clock.advance(60);
    queue.done("a");
    expect(takeAll()).toEqual([]);
    await clock.advance(40);
    expect(takeAll()).toEqual(["a"]);
  });

  test("of several adds during a run the earliest and the most urgent count", async () => {
    queue.add("b");
    queue.add("a");
    queue.take();
    queue.take();
    queue.add("b", { priority: "low" });
    queue.add("a", { priority: "low", delayMs: 50 });
    queue.add("a", { priority: "high", delayMs: 500 });
    queue.done("a");
    queue.done("b");
    await clock.advance(50);
    expect(takeAll()).toEqual(["a", "b"]);
  });

  test("done for a key that nobody has is a mistake of the caller", () => {
    expect(() => queue.done("a")).toThrow("a is in no worker");
    queue.add("a");
    expect(() => queue.done("a")).toThrow("a is in no worker");
  });
});

describe("order", () => {
  test("first in, first out, the high before the low", () => {
    queue.add("l1", { priority: "low" });
    queue.add("h1");
    queue.add("l2", { priority: "low" });
    queue.add("h2");
    expect(takeAll()).toEqual(["h1", "h2", "l1", "l2"]);
  });

  test("an urgent add lifts a key that was ready for no hurry, once", () => {
    queue.add("l1", { priority: "low" });
    queue.add("l2", { priority: "low" });
    queue.add("l2");
    expect(queue.depth).toBe(2);
    expect(takeAll()).toEqual(["l2", "l1"]);
    expect(queue.depth).toBe(0);
  });

  test("a lazy add does not lower a key", () => {
    queue.add("a");
    queue.add("b");
    queue.add("b", { priority: "low" });
    queue.add("c");
    expect(takeAll()).toEqual(["a", "b", "c"]);
  });

  test("a key that was lifted, taken and added anew as low does not come out through its old place", () => {
    queue.add("a", { priority: "low" });
    queue.add("b", { priority: "low" });
    queue.add("a");
    expect(queue.take()).toBe("a");
    queue.done("a");
    queue.add("a", { priority: "low" });
    expect(takeAll()).toEqual(["b", "a"]);
  });

  test("thousands come out in their order", () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `k${index}`);
    for (const key of keys) queue.add(key);
    expect(takeAll()).toEqual(keys);
  });
});

describe("delay", () => {
  test("a key is ready at its time, not before", async () => {
    queue.add("a", { delayMs: 100 });
    await clock.advance(99);
    expect(takeAll()).toEqual([]);
    await clock.advance(1);
    expect(takeAll()).toEqual(["a"]);
  });

  test("an earlier add ends the wait, a later one does not lengthen it", async () => {
    queue.add("a", { delayMs: 100 });
    queue.add("a", { delayMs: 1000 });
    await clock.advance(100);
    expect(takeAll()).toEqual(["a"]);
    queue.done("a");
    queue.add("a", { delayMs: 300_000 });
    queue.add("a");
    expect(takeAll()).toEqual(["a"]);
    queue.done("a");
    await clock.advance(300_000);
    expect(takeAll()).toEqual([]);
  });

  test("delayed keys come by their time, and there is one timer for all", async () => {
    for (const [key, delayMs] of [
      ["c", 30],
      ["a", 10],
      ["b", 20],
    ] as const)
      queue.add(key, { delayMs });
    expect(clock.pending).toBe(1);
    await clock.advance(30);
    expect(takeAll()).toEqual(["a", "b", "c"]);
    expect(clock.pending).toBe(0);
  });

  test("the urgency of a duplicate counts for a delayed key too", async () => {
    queue.add("x", { priority: "low", delayMs: 10 });
    queue.add("x", { priority: "high", delayMs: 20 });
    queue.add("y", { priority: "low", delayMs: 5 });
    await clock.advance(10);
    expect(takeAll()).toEqual(["x", "y"]);
  });
});

test("it tells when a key gets ready, and nothing for one that has to wait", async () => {
  let told = 0;
  queue.onReady = () => told++;
  queue.add("a");
  queue.add("a");
  queue.add("b", { delayMs: 10 });
  expect(told).toBe(1);
  await clock.advance(10);
  expect(told).toBe(2);
});

test("closed, it takes in nothing, gives out nothing and leaves no timer", () => {
  queue.add("a");
  queue.take();
  queue.add("a");
  queue.add("b");
  queue.add("c", { delayMs: 10 });
  queue.close();
  queue.add("d");
  queue.done("a");
  expect(takeAll()).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("metrics count adds, depth, waiting and work", async () => {
  const told: unknown[] = [];
  const metered = new WorkQueue({
    name: "q",
    clock,
    metrics: {
      depth: (...args) => told.push(["depth", ...args]),
      added: (...args) => told.push(["added", ...args]),
      waited: (...args) => told.push(["waited", ...args]),
      worked: (...args) => told.push(["worked", ...args]),
    },
  });
  metered.add("a", { delayMs: 1000 });
  await clock.advance(1500);
  metered.take();
  await clock.advance(2000);
  metered.done("a");
  expect(told).toEqual([
    ["added", "q"],
    ["depth", "q", 1],
    ["depth", "q", 0],
    ["waited", "q", 0.5],
    ["worked", "q", 2],
  ]);
});

test("against a naive model: no key twice at once, none lost, earliest and most urgent kept", async () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const due = new Map<string, { at: number; high: boolean }>();
  const running = new Map<string, { at: number; high: boolean } | undefined>();
  for (let step = 0; step < 20_000; step++) {
    const key = `k${Math.floor(random() * 12)}`;
    const dice = random();
    if (dice < 0.45) {
      const high = random() < 0.5;
      const delayMs = random() < 0.5 ? 0 : Math.floor(random() * 50);
      queue.add(key, { priority: high ? "high" : "low", delayMs });
      const model = running.has(key) ? running : due;
      const before = model.get(key);
      const at = clock.monotonic() + delayMs;
      model.set(key, { at: Math.min(before?.at ?? at, at), high: high || before?.high === true });
    } else if (dice < 0.7) {
      const ready = [...due].filter(([, item]) => item.at <= clock.monotonic());
      const taken = queue.take();
      if (ready.length === 0) expect(taken).toBeUndefined();
      else {
        const item = due.get(taken ?? "");
        expect(item).toBeDefined();
        expect(item?.at).toBeLessThanOrEqual(clock.monotonic());
        if (ready.some(([, { high }]) => high)) expect(item?.high).toBe(true);
        due.delete(taken ?? "");
        running.set(taken ?? "", undefined);
      }
    } else if (dice < 0.9) {
      const [first] = running.keys();
      if (first !== undefined) {
        const dirty = running.get(first);
        running.delete(first);
        if (dirty !== undefined) due.set(first, dirty);
        queue.done(first);
      }
    } else if (dice < 0.95) await clock.advance(Math.floor(random() * 20));
    expect(queue.size).toBe(due.size + running.size);
  }
});
