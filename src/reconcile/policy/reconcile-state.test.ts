import { describe, expect, it } from "vitest";
import type { Failure, ReconcileState } from "#src/reconcile/observe/observed.ts";
import { emptyState, observed, platformError, uid } from "./observed-fixture.testing.ts";
import { stateAfterDecision, stateAfterFailure, stateAfterSuccess } from "./reconcile-state.ts";
import type { PlatformStep } from "./step.ts";

const read: PlatformStep = { do: "read", uid };
const update = (correction: boolean): PlatformStep => ({
  do: "update",
  uid,
  body: {},
  mask: [],
  drift: [],
  correction,
});
const event = { type: "Normal", reason: "Deleted", note: "" } as const;
const failure: Failure = {
  step: "read",
  problem: { kind: "rejected", error: platformError("UNAVAILABLE") },
  attemptOf: "",
  attempts: 1,
  at: 1_000,
  retryAt: 1_250,
};
const at = (now: number, state: ReconcileState = emptyState) => observed({ state, now });

describe("a wait", () => {
  it("is remembered from its start until nothing is left to do", () => {
    const started = stateAfterDecision(at(2_000), { do: "wait", until: 9_000 });
    expect(started.waitingSince).toBe(2_000);
    expect(stateAfterDecision(at(3_000, started), { do: "wait", until: 9_000 })).toBe(started);
    expect(stateAfterDecision(at(4_000, started), { do: "done" })).toEqual(emptyState);
  });

  it("starts with a failure, unless the object was waiting before", () => {
    expect(stateAfterFailure(at(1_000), failure, true)).toMatchObject({ failure, waitingSince: 1_000 });
    const waiting = { ...emptyState, waitingSince: 500 };
    expect(stateAfterFailure(at(1_000, waiting), failure, true).waitingSince).toBe(500);
  });
});

describe("the time of a status write", () => {
  it("is remembered", () => {
    expect(stateAfterDecision(at(2_000), { do: "writeStatus", patch: {} }).statusWrittenAt).toBe(2_000);
  });
});

describe("a failure", () => {
  it("is cleared by the success of its own step only", () => {
    const failed = { ...emptyState, failure };
    expect(stateAfterSuccess(at(2_000, failed), update(false)).failure).toBe(failure);
    expect(stateAfterSuccess(at(2_000, failed), { do: "delete", uid, event })).toBe(failed);
    expect(stateAfterSuccess(at(2_000, failed), read)).not.toHaveProperty("failure");
  });
});

describe("corrections of drift", () => {
  it("are remembered for an hour; other updates are not counted", () => {
    let state: ReconcileState = emptyState;
    for (const [now, correction] of [
      [1_000, true],
      [2_000, true],
      [3_000, false],
      [3_601_500, true],
    ] as const)
      state = stateAfterSuccess(at(now, state), update(correction));
    expect(state.corrections).toEqual([2_000, 3_601_500]);
  });
});

describe("a POST", () => {
  const create: PlatformStep = { do: "create", parent: "", body: {}, naturalKey: "key", event };
  const failed: Failure = { ...failure, step: "create" };

  it("is remembered from before it is sent until its uid is recorded", () => {
    const sent = stateAfterDecision(at(1_000), create);
    expect(sent.posted).toEqual({ naturalKey: "key" });
    expect(stateAfterSuccess(at(1_000), create).posted).toEqual({ naturalKey: "key" });
    expect(stateAfterDecision(at(2_000, sent), { do: "writeStatus", patch: { uid } }).posted).toBeDefined();
    expect(stateAfterDecision(at(3_000, sent), { do: "done" })).not.toHaveProperty("posted");
  });

  it("is forgotten only if its failure proves that it had no effect", () => {
    expect(stateAfterFailure(at(1_000), failed, true)).not.toHaveProperty("posted");
    expect(stateAfterFailure(at(1_000), failed, false).posted).toBeDefined();
  });

  it("that had no effect does not hide an earlier one", () => {
    const earlier = { ...emptyState, posted: { naturalKey: "key" } };
    expect(stateAfterFailure(at(1_000, earlier), failed, true).posted).toEqual(earlier.posted);
  });
});
