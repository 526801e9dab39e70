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
let reported: unknown[];
let failures: ReconcileFailure[];
beforeEach(() => {
  clock = new ManualClock();
  reported = [];
  failures = [];
});

const metrics: ControllerMetrics = {
  depth: () => undefined,
  added: () => undefined,
  waited: () => undefined,
  worked: () => undefined,
  reconciled: (...args) => reported.push(["reconciled", ...args]),
  activeWorkers: (...args) => reported.push(["active", ...args]),
  retried: (...args) => reported.push(["retried", ...args]),
};

function newController(reconcile: (key: string, signal: AbortSignal) => Promise<Result>): Controller {
  return new Controller({
    name: "group",
    reconcile,
    clock,
    random: () => 0.5,
    metrics,
    onFailure: (failure) => failures.push(failure),
  });
}

async function runNext(controller: Controller): Promise<string | undefined> {
  const key = controller.queue.take();
  if (key !== undefined) await controller.run(key);
  return key;
}

describe("results", () => {
  test("done: the key is not reconciled again", async () => {
    const controller = newController(() => Promise.resolve({ type: "done" }));
    controller.enqueue("a");
    await runNext(controller);
    expect([controller.queue.size, clock.pending]).toEqual([0, 0]);
    expect(reported).toEqual([
      ["active", "group", 1],
      ["active", "group", 0],
      ["reconciled", "group", "success", 0],
    ]);
  });

  test("requeueAfter: the key is reconciled after its time, or earlier if it is added", async () => {
    const controller = newController(() => Promise.resolve({ type: "requeueAfter", ms: 1000 }));
    controller.enqueue("a");
    await runNext(controller);
    await clock.advance(999);
    expect(await runNext(controller)).toBeUndefined();
    await clock.advance(1);
    expect(await runNext(controller)).toBe("a");
    controller.enqueue("a");
    expect(await runNext(controller)).toBe("a");
  });

  test("failed: reported once, counted, and retried with a growing delay", async () => {
    const error = new Error("no");
    const controller = newController(() => Promise.resolve({ type: "failed", error }));
    controller.enqueue("a");
    await runNext(controller);
    await clock.advance(125);
    await runNext(controller);
    expect(failures).toEqual([
      { controller: "group", key: "a", error, failures: 1, retryInMs: 125 },
      { controller: "group", key: "a", error, failures: 2, retryInMs: 250 },
    ]);
    expect(reported.filter((line) => Array.isArray(line) && line[0] !== "active")).toEqual([
      ["reconciled", "group", "error", 0],
      ["retried", "group"],
      ["reconciled", "group", "error", 0],
      ["retried", "group"],
    ]);
  });

  test("an exception is a failure, even before the first await, and its Retry-After is honoured", async () => {
    const controller = newController(() => {
      throw Object.assign(new Error("busy"), { retryAfterMs: 5000 });
    });
    controller.enqueue("a");
    await runNext(controller);
    expect(failures[0]?.retryInMs).toBe(5250);
  });
});

describe("backoff", () => {
  test("its delay ends with an enqueue, which does not reset it", async () => {
    const controller = newController(() => Promise.resolve({ type: "failed", error: new Error("no") }));
    controller.enqueue("a");
    await runNext(controller);
    controller.enqueue("a");
    await runNext(controller);
    expect(failures.map(({ retryInMs }) => retryInMs)).toEqual([125, 250]);
  });

  test("is reset by a success", async () => {
    const results: Result[] = [{ type: "failed", error: 1 }, { type: "done" }, { type: "failed", error: 2 }];
    const controller = newController(() => Promise.resolve(results.shift() ?? { type: "done" }));
    for (let time = 0; time < 3; time++) {
      controller.enqueue("a");
      await runNext(controller);
    }
    expect(failures.map(({ retryInMs }) => retryInMs)).toEqual([125, 125]);
  });
});

test("aborts a reconcile at its deadline, which is a failure", async () => {
  const controller = newController(
    (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  controller.enqueue("a");
  const running = runNext(controller);
  await clock.advance(60_000);
  await running;
  expect(failures[0]?.error).toBeInstanceOf(DeadlineExceeded);
  expect(clock.pending).toBe(1);
});

test("an aborted reconcile is not a failure", async () => {
  const controller = newController(
    (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  controller.enqueue("a");
  const running = runNext(controller);
  await settled();
  controller.abort(new Error("stopping"));
  await running;
  expect(failures).toEqual([]);
  expect(controller.queue.size).toBe(0);
});

test("adding a key twice during its reconcile causes one more", async () => {
  let runs = 0;
  const controller = newController((key) => {
    if (runs++ === 0) {
      controller.enqueue(key);
      controller.enqueue(key);
    }
    return Promise.resolve({ type: "done" });
  });
  controller.enqueue("a");
  while ((await runNext(controller)) !== undefined);
  expect(runs).toBe(2);
});
