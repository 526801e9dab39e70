import { describe, expect, it } from "vitest";
import { groupKind } from "#src/kinds/group.ts";
import type { PlatformProblem } from "#src/reconcile/observe/observed.ts";
import {
  emptyState,
  groupResource,
  decisionInput,
  observed,
  parent,
  platformError,
  ready,
  resolved,
  uid,
} from "./observed-fixture.testing.ts";
import { attemptOf } from "./attempted.ts";
import { attempt, failureOf, fightEndsAt } from "./retry.ts";
import type { PlatformStep } from "./step.ts";

const create: PlatformStep = {
  do: "create",
  naturalKey: "key",
  parent,
  body: {},
  event: { type: "Normal", reason: "Created", note: "" },
};

describe("an attempt after a failure", () => {
  const secret = {
    is: "found",
    readAt: 0,
    uid: "s",
    resourceVersion: "1",
    issuer: "",
    unusable: null,
    isEmpty: false,
    issuedUid: null,
    writable: false,
  } as const;
  const failure = {
    step: "create",
    problem: { kind: "rejected", error: platformError("INTERNAL") },
    attemptOf: attemptOf(observed()),
    attempts: 1,
    at: 19_000,
    retryAt: 30_000,
  } as const;
  const given = decisionInput({ state: { ...emptyState, waitingSince: 0, failure } });

  it.each([
    ["reports the failure until its delay has passed", given, "writeStatus"],
    ["is made once the delay has passed", { ...given, now: 30_000 }, "create"],
    [
      "is made if another step failed",
      { ...given, state: { ...given.state, failure: { ...failure, step: "read" } } },
      "create",
    ],
    [
      "is made for another generation of the spec",
      { ...given, resource: groupResource({ metadata: { generation: 2 } }) },
      "create",
    ],
    ["is made with a new token", { ...given, credentialEpoch: 2 }, "create"],
    ["is not made when an outage ends that did not cause the failure", { ...given, recoveries: 1 }, "writeStatus"],
    [
      "is made when the outage ends that caused the failure",
      { ...given, recoveries: 1, state: { ...given.state, failure: { ...failure, recoveries: 0 } } },
      "create",
    ],
    [
      "is made with another version of the Secret",
      {
        ...given,
        secret: { ...secret, resourceVersion: "2" },
        state: { ...given.state, failure: { ...failure, attemptOf: attemptOf({ ...observed(), secret }) } },
      },
      "create",
    ],
    ["is made when a person requests it", { ...given, request: { value: "now", seenAt: 1 } }, "create"],
    [
      "is made for another parent",
      { ...given, references: { ...resolved(), uids: { parent: `${parent}/4444444444444444` } } },
      "create",
    ],
  ] as const)("%s", (_, observation, step) => {
    expect(attempt(observation, create).do).toBe(step);
  });

  it("leaves the status of a Ready object unchanged if only a read failed", () => {
    const readFailure = { ...failure, step: "read" } as const;
    const state = { ...emptyState, waitingSince: 0, failure: readFailure };
    const readyObject = decisionInput({ resource: groupResource({ status: ready }), state });
    const failed = {
      ...readyObject,
      state: { ...state, failure: { ...readFailure, attemptOf: attemptOf(readyObject) } },
    };
    expect(attempt(failed, { do: "read", uid })).toEqual({ do: "wait", until: 30_000 });
  });
});

describe("the delay after a failure", () => {
  const unavailable: PlatformProblem = { kind: "rejected", error: platformError("UNAVAILABLE") };
  const read: PlatformStep = { do: "read", uid };
  const at = 1_000;

  it.each<[string, PlatformProblem, number, number]>([
    ["is at most 250 ms after the first failure", unavailable, 0.5, 125],
    ["is zero at least", unavailable, 0, 0],
    ["is not shorter than the platform requested", { ...unavailable, retryAfterMs: 3_000 }, 0.5, 3_125],
    [
      "is an hour where only a change can help",
      { kind: "rejected", error: platformError("INVALID_ARGUMENT") },
      0.5,
      3_600_000,
    ],
  ])("%s", (_, problem, random, ms) => {
    expect(failureOf(observed(), groupKind, read, problem, at, random).retryAt).toBe(at + ms);
  });

  it("doubles with each failure of the step, up to 5 min", () => {
    const delays: number[] = [];
    let given = observed();
    for (let count = 0; count < 14; count += 1) {
      const failure = failureOf(given, groupKind, read, unavailable, at, 1);
      delays.push(failure.retryAt - at);
      given = observed({ state: { ...emptyState, failure } });
    }
    expect(delays.slice(0, 4)).toEqual([250, 500, 1_000, 2_000]);
    expect(delays.at(-1)).toBe(300_000);
  });

  it("starts again with the failure of another step", () => {
    const failure = failureOf(observed(), groupKind, read, unavailable, at, 1);
    const update: PlatformStep = { do: "update", uid, body: {}, mask: [], drift: [], correction: false };
    expect(
      failureOf(observed({ state: { ...emptyState, failure } }), groupKind, update, unavailable, at, 1).attempts,
    ).toBe(1);
  });
});

describe("a failure that the end of an outage may end", () => {
  const read: PlatformStep = { do: "read", uid };
  const recoveriesAfter = (problem: PlatformProblem) =>
    failureOf(observed({ recoveries: 3 }), groupKind, read, problem, 0, 0).recoveries;

  it.each<[string, PlatformProblem]>([
    ["no response", { kind: "noResponse", message: "" }],
    ["a server error", { kind: "rejected", error: platformError("UNAVAILABLE") }],
    ["a rejected token", { kind: "rejected", error: platformError("UNAUTHENTICATED") }],
    ["a refused exchange", { kind: "credential", cause: "exchange", message: "" }],
    ["a suspended call", { kind: "suspended", outage: { kind: "noResponse", message: "" } }],
  ])("records which outage: %s", (_, problem) => {
    expect(recoveriesAfter(problem)).toBe(3);
  });
  it("is none that concerns the object only", () => {
    expect(recoveriesAfter({ kind: "rejected", error: platformError("INVALID_ARGUMENT") })).toBeUndefined();
  });
});

describe("a call that was not sent", () => {
  const read: PlatformStep = { do: "read", uid };
  const suspended: PlatformProblem = { kind: "suspended", outage: { kind: "noResponse", message: "" } };
  const lost: PlatformProblem = { kind: "noResponse", message: "" };

  it("does not count as an attempt", () => {
    const state = (failure: ReturnType<typeof failureOf>) => observed({ state: { ...emptyState, failure } });
    const first = failureOf(observed(), groupKind, read, lost, 0, 1);
    const notSent = failureOf(state(first), groupKind, read, suspended, 0, 1);
    const paused = failureOf(state(notSent), groupKind, read, { kind: "paused", retryAfterMs: 9_000 }, 0, 1);
    expect([first, notSent, paused].map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect(paused.retryAt).toBe(9_250);
  });
  it("because of an outage is repeated after about a minute, if the outage does not end", () => {
    expect(failureOf(observed(), groupKind, read, suspended, 0, 0.5).retryAt).toBe(60_000);
  });
});

describe("the delay after a failure", () => {
  const problem: PlatformProblem = { kind: "rejected", error: platformError("UNAVAILABLE") };
  const earlier = { ...failureOf(observed(), groupKind, create, problem, 0, 1), attempts: 9 };
  const before = { state: { ...emptyState, failure: earlier } };
  const edited = { ...before, resource: groupResource({ metadata: { generation: 2 } }) };
  const moved = { ...before, references: { ...resolved(), uids: { parent: `${parent}/4444444444444444` } } } as const;

  it.each([
    ["goes on doubling in the same attempt", before, create, 10, 128_000],
    ["starts again after an edit of the spec", edited, create, 1, 250],
    ["starts again for another parent", moved, create, 1, 250],
    ["starts again after a request", { ...before, request: { value: "now", seenAt: 1 } }, create, 1, 250],
    ["goes on doubling with a new token", { ...before, credentialEpoch: 2 }, create, 10, 128_000],
    ["starts again for another step", before, { do: "read", uid } as const, 1, 250],
  ])("%s", (_, given, step, attempts, retryAt) => {
    expect(failureOf(observed(given), groupKind, step, problem, 0, 1)).toMatchObject({ attempts, retryAt });
  });
});

describe("the delay after the first failure beyond a token exchange", () => {
  const exchange: PlatformProblem = { kind: "credential", cause: "exchange", message: "refused" };
  const unavailable: PlatformProblem = { kind: "rejected", error: platformError("UNAVAILABLE") };
  const list: PlatformStep = { do: "list", parent, startedAfter: 0, stable: false };
  const attemptsAfter = (earlier: PlatformProblem, later: PlatformProblem) => {
    const failure = { ...failureOf(observed(), groupKind, list, earlier, 0, 1), attempts: 9 };
    return failureOf(observed({ state: { ...emptyState, failure } }), groupKind, list, later, 0, 1).attempts;
  };

  it("starts again, because the call got further than before", () => {
    expect(attemptsAfter(exchange, unavailable)).toBe(1);
  });
  it("goes on doubling while the exchange fails, or when it fails later", () => {
    expect(attemptsAfter(exchange, exchange)).toBe(10);
    expect(attemptsAfter(unavailable, exchange)).toBe(10);
  });
});

describe("a fight with another writer", () => {
  it.each<[string, readonly number[], number, number | undefined]>([
    ["is not assumed after two corrections", [1_000, 2_000], 3_000, undefined],
    ["lasts until an hour after the third-last correction", [1_000, 2_000, 3_000], 4_000, 3_601_000],
    ["ends when that hour is over", [1_000, 2_000, 3_000], 3_601_000, undefined],
  ])("%s", (_, corrections, now, end) => {
    expect(fightEndsAt(observed({ state: { ...emptyState, corrections }, now }))).toBe(end);
  });
});
