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
  test("does not hand out a running key again until it is done, however often it is added", () => {
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

  test("counts the delay of a key added while it runs from the add, not from the end of the run", async () => {
    queue.add("a");
    queue.take();
    queue.add("a", { delayMs: 100 });
    await clock.advance(60);
    queue.done("a");
    expect(takeAll()).toEqual([]);
    await clock.advance(40);
    expect(takeAll()).toEqual(["a"]);
  });

  test("merges several adds during a run: the earliest time and the highest priority", async () => {
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

  test("runs a key again only for what was added after it observed", async () => {
    queue.add("a");
    queue.take();
    queue.add("a");
    queue.observes("a");
    queue.done("a");
    expect(takeAll()).toEqual([]);
    queue.add("a");
    queue.take();
    queue.observes("a");
    queue.add("a");
    queue.done("a");
    expect(takeAll()).toEqual(["a"]);
  });

  test("runs a key again after the delay of an add, also if it observed before that time", async () => {
    queue.add("a");
    queue.take();
    queue.add("a");
    queue.add("a", { delayMs: 100 });
    queue.observes("a");
    queue.done("a");
    expect(takeAll()).toEqual([]);
    await clock.advance(100);
    expect(takeAll()).toEqual(["a"]);
  });

  test("done throws for a key that is not running", () => {
    expect(() => queue.done("a")).toThrow("not running");
    queue.add("a");
    expect(() => queue.done("a")).toThrow("not running");
  });
});

describe("order", () => {
  test("is first in, first out, with high priority before low", () => {
    queue.add("l1", { priority: "low" });
    queue.add("h1");
    queue.add("l2", { priority: "low" });
    queue.add("h2");
    expect(takeAll()).toEqual(["h1", "h2", "l1", "l2"]);
  });

  test("raises the priority of a ready key, which still comes out once", () => {
    queue.add("l1", { priority: "low" });
    queue.add("l2", { priority: "low" });
    queue.add("l2");
    expect(queue.depth).toBe(2);
    expect(takeAll()).toEqual(["l2", "l1"]);
    expect(queue.depth).toBe(0);
  });

  test("never lowers the priority of a ready key", () => {
    queue.add("a");
    queue.add("b");
    queue.add("b", { priority: "low" });
    queue.add("c");
    expect(takeAll()).toEqual(["a", "b", "c"]);
  });

  test("ignores the stale entry of a key that was raised, taken and added again with low priority", () => {
    queue.add("a", { priority: "low" });
    queue.add("b", { priority: "low" });
    queue.add("a");
    expect(queue.take()).toBe("a");
    queue.done("a");
    queue.add("a", { priority: "low" });
    expect(takeAll()).toEqual(["b", "a"]);
  });

  test("keeps the order of thousands of keys", () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `k${index}`);
    for (const key of keys) queue.add(key);
    expect(takeAll()).toEqual(keys);
  });
});

describe("delay", () => {
  test("makes a key ready at its time, not before", async () => {
    queue.add("a", { delayMs: 100 });
    await clock.advance(99);
    expect(takeAll()).toEqual([]);
    await clock.advance(1);
    expect(takeAll()).toEqual(["a"]);
  });

  test("an earlier add shortens the delay; a later one does not lengthen it", async () => {
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

  test("orders delayed keys by time, with one timer for all of them", async () => {
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

  test("raises the priority of a delayed key", async () => {
    queue.add("x", { priority: "low", delayMs: 10 });
    queue.add("x", { priority: "high", delayMs: 20 });
    queue.add("y", { priority: "low", delayMs: 5 });
    await clock.advance(10);
    expect(takeAll()).toEqual(["x", "y"]);
  });
});

test("calls onReady when a key becomes ready, not when it is added with a delay", async () => {
  let calls = 0;
  queue.onReady = () => calls++;
  queue.add("a");
  queue.add("a");
  queue.add("b", { delayMs: 10 });
  expect(calls).toBe(1);
  await clock.advance(10);
  expect(calls).toBe(2);
});

test("after close, ignores adds, hands out no keys and leaves no timer", () => {
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

test("reports adds, depth, and the times of waiting and working", async () => {
  const reported: unknown[] = [];
  const metered = new WorkQueue({
    name: "q",
    clock,
    metrics: {
      depth: (...args) => reported.push(["depth", ...args]),
      added: (...args) => reported.push(["added", ...args]),
      waited: (...args) => reported.push(["waited", ...args]),
      worked: (...args) => reported.push(["worked", ...args]),
    },
  });
  metered.add("a", { delayMs: 1000 });
  await clock.advance(1500);
  metered.take();
  await clock.advance(2000);
  metered.done("a");
  expect(reported).toEqual([
    ["added", "q"],
    ["depth", "q", 1],
    ["depth", "q", 0],
    ["waited", "q", 0.5],
    ["worked", "q", 2],
  ]);
});

test("agrees with a naive model: no key runs twice at once, none is lost, duplicates are merged", async () => {
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

describe("lines", () => {
  beforeEach(() => {
    queue = new WorkQueue({ name: "test", clock, lineOf: (key) => key.slice(0, 1) });
  });

  test("take turns, so that a flood of keys in one of them does not delay the others", () => {
    for (const key of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]) queue.add(key);
    expect(takeAll()).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  test("a key in a line of its own waits for one key of each other line", () => {
    for (let number = 0; number < 5_000; number++) queue.add(`a${number}`);
    queue.take();
    queue.add("b1");
    expect([queue.take(), queue.take()]).toEqual(["a1", "b1"]);
  });

  test("do not change that high priority goes before low", () => {
    queue.add("a1", { priority: "low" });
    queue.add("b1");
    queue.add("b2");
    expect(takeAll()).toEqual(["b1", "b2", "a1"]);
  });

  test("a key that was raised to high priority costs its line no turn", () => {
    for (const key of ["a1", "a2", "b1"]) queue.add(key, { priority: "low" });
    queue.add("a1");
    expect(takeAll()).toEqual(["a1", "a2", "b1"]);
    expect(queue.hasReady("low")).toBe(false);
  });
});

test("reports how long keys have been ready and running", async () => {
  expect(queue.ages()).toEqual({ oldestReady: 0, longestRun: 0, allRuns: 0 });
  queue.add("a");
  queue.take();
  await clock.advance(1000);
  queue.add("b");
  queue.take();
  queue.add("c");
  queue.add("d", { delayMs: 60_000 });
  await clock.advance(500);
  queue.add("c");
  queue.add("e");
  expect(queue.ages()).toEqual({ oldestReady: 0.5, longestRun: 1.5, allRuns: 2 });
});
