import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import {
  Controller,
  type ControllerMetrics,
  DeadlineExceeded,
  type ReconcileFailure,
  type Result,
} from "./controller.ts";

let clock: ManualClock;
let told: unknown[];
let failures: ReconcileFailure[];
beforeEach(() => {
  clock = new ManualClock();
  told = [];
  failures = [];
});

const metrics: ControllerMetrics = {
  depth: () => undefined,
  added: () => undefined,
  waited: () => undefined,
  worked: () => undefined,
  reconciled: (...args) => told.push(["reconciled", ...args]),
  activeWorkers: (...args) => told.push(["active", ...args]),
  retried: (...args) => told.push(["retried", ...args]),
};

function controller(reconcile: (key: string, signal: AbortSignal) => Promise<Result>): Controller {
  return new Controller({
    name: "group",
    reconcile,
    clock,
    random: () => 0.5,
    metrics,
    onFailure: (failure) => failures.push(failure),
  });
}

async function runNext(made: Controller): Promise<string | undefined> {
  const key = made.queue.take();
  if (key !== undefined) await made.run(key);
  return key;
}

describe("results", () => {
  test("done: nothing follows", async () => {
    const made = controller(() => Promise.resolve({ type: "done" }));
    made.enqueue("a");
    await runNext(made);
    expect([made.queue.size, clock.pending]).toEqual([0, 0]);
    expect(told).toEqual([
      ["active", "group", 1],
      ["active", "group", 0],
      ["reconciled", "group", "success", 0],
    ]);
  });

  test("requeueAfter: again at its time, and at once if asked before", async () => {
    const made = controller(() => Promise.resolve({ type: "requeueAfter", ms: 1000 }));
    made.enqueue("a");
    await runNext(made);
    await clock.advance(999);
    expect(await runNext(made)).toBeUndefined();
    await clock.advance(1);
    expect(await runNext(made)).toBe("a");
    made.enqueue("a");
    expect(await runNext(made)).toBe("a");
  });

  test("failed: told once, counted, and again with a growing wait", async () => {
    const error = new Error("no");
    const made = controller(() => Promise.resolve({ type: "failed", error }));
    made.enqueue("a");
    await runNext(made);
    await clock.advance(125);
    await runNext(made);
    expect(failures).toEqual([
      { controller: "group", key: "a", error, failures: 1, retryInMs: 125 },
      { controller: "group", key: "a", error, failures: 2, retryInMs: 250 },
    ]);
    expect(told.filter((line) => Array.isArray(line) && line[0] !== "active")).toEqual([
      ["reconciled", "group", "error", 0],
      ["retried", "group"],
      ["reconciled", "group", "error", 0],
      ["retried", "group"],
    ]);
  });

  test("what is thrown, even before the first await, is a failure like another, with its Retry-After", async () => {
    const made = controller(() => {
      throw Object.assign(new Error("busy"), { retryAfterMs: 5000 });
    });
    made.enqueue("a");
    await runNext(made);
    expect(failures[0]?.retryInMs).toBe(5250);
  });
});

describe("the wait after a failure", () => {
  test("ends with an enqueue, and is not forgotten by it", async () => {
    const made = controller(() => Promise.resolve({ type: "failed", error: new Error("no") }));
    made.enqueue("a");
    await runNext(made);
    made.enqueue("a");
    await runNext(made);
    expect(failures.map(({ retryInMs }) => retryInMs)).toEqual([125, 250]);
  });

  test("ends with wake, which starts the counting anew", async () => {
    const made = controller(() => Promise.resolve({ type: "failed", error: new Error("no") }));
    made.enqueue("a");
    await runNext(made);
    made.wake("a");
    await runNext(made);
    expect(failures.map(({ retryInMs }) => retryInMs)).toEqual([125, 125]);
  });

  test("is forgotten by a success", async () => {
    const results: Result[] = [{ type: "failed", error: 1 }, { type: "done" }, { type: "failed", error: 2 }];
    const made = controller(() => Promise.resolve(results.shift() ?? { type: "done" }));
    for (let time = 0; time < 3; time++) {
      made.enqueue("a");
      await runNext(made);
    }
    expect(failures.map(({ retryInMs }) => retryInMs)).toEqual([125, 125]);
  });
});

test("a reconcile that takes too long is aborted, and counts as failed", async () => {
  const made = controller(
    (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  made.enqueue("a");
  const running = runNext(made);
  await clock.advance(60_000);
  await running;
  expect(failures[0]?.error).toBeInstanceOf(DeadlineExceeded);
  expect(clock.pending).toBe(1);
});

test("an abort from outside says nothing about the key", async () => {
  const made = controller(
    (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  made.enqueue("a");
  const running = runNext(made);
  await settled();
  made.abort(new Error("stopping"));
  await running;
  expect(failures).toEqual([]);
  expect(made.queue.size).toBe(0);
});

test("what is added during a run leads to one more", async () => {
  let runs = 0;
  const made = controller((key) => {
    if (runs++ === 0) {
      made.enqueue(key);
      made.enqueue(key);
    }
    return Promise.resolve({ type: "done" });
  });
  made.enqueue("a");
  while ((await runNext(made)) !== undefined);
  expect(runs).toBe(2);
});
