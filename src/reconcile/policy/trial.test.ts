import { expect, it } from "vitest";
import type { Failure, PlatformProblem, ReconcileState } from "#src/reconcile/observe/observed.ts";
import { chooseTrial } from "./trial.ts";

const lost: PlatformProblem = { kind: "noResponse", message: "lost" };
const suspended: PlatformProblem = { kind: "suspended", outage: lost };
const failed = (name: string, at: number, change: Partial<Failure> = {}) => {
  const failure: Failure = {
    step: "create",
    problem: lost,
    attemptOf: "1",
    recoveries: 0,
    attempts: 1,
    at,
    retryAt: at + 300_000,
    ...change,
  };
  const state: ReconcileState = {
    resourceUid: name,
    firstSeenAt: 0,
    specSeenAt: 0,
    generation: 1,
    bornHere: true,
    corrections: [],
    failure,
  };
  return { name, state };
};

it("is the object whose write was not sent, and that has waited for the longest time", () => {
  const waiting = [
    failed("sent", 1),
    failed("later", 9, { problem: suspended }),
    failed("earlier", 8, { problem: suspended }),
  ];
  expect(chooseTrial(waiting)?.name).toBe("earlier");
});

it("is otherwise the one of at least three whose write failed first", () => {
  const waiting = [failed("b", 2), failed("a", 1, { step: "delete" }), failed("c", 3, { step: "update" })];
  expect(chooseTrial(waiting)?.name).toBe("a");
  expect(chooseTrial(waiting.slice(1))).toBeUndefined();
});

it("is not an object that waits for something else", () => {
  const {
    name,
    state: { failure: _failure, ...state },
  } = failed("did not fail", 1);
  const waiting = [
    failed("reads", 1, { step: "list", problem: suspended }),
    { name, state },
    failed("one", 1),
    failed("two", 2),
  ];
  expect(chooseTrial(waiting)).toBeUndefined();
  expect(chooseTrial([...waiting, failed("three", 3)])?.name).toBe("one");
});
