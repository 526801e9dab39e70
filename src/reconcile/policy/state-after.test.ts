import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import type { Failure, ReconcileState } from "#src/reconcile/observe/observed.ts";
import { emptyState, groupResource, holdsNothing, observed, platformError, uid } from "./observed-fixture.testing.ts";
import {
  stateAfterAcceptance,
  stateAfterDecision,
  stateAfterFailure,
  stateAfterRefusal,
  stateAfterStatusWrite,
  stateAfterSuccess,
  stateAfterUnsent,
} from "./state-after.ts";
import { refusalOf } from "./refusal.ts";
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

it("does not take an object whose resource is recorded for one that never had any, once its status is lost", () => {
  const born = { ...emptyState, bornHere: true };
  const recorded = {
    ...observed(),
    resource: groupResource({ status: { observedGeneration: 1, conditions: [], uid } }),
  };
  expect(stateAfterDecision({ ...recorded, state: born }, { do: "done" }).bornHere).toBe(false);
  expect(stateAfterDecision({ ...observed(), state: born }, { do: "done" }).bornHere).toBe(true);
});

it("keeps what was posted before a call that could not be sent", () => {
  const [earlier, present] = [{ naturalKey: "earlier" }, { naturalKey: "present" }];
  const create: PlatformStep = { do: "create", parent: "", body: {}, naturalKey: "present", event };
  const posted = observed({ state: { ...emptyState, posted: present } });
  expect(stateAfterUnsent(posted, create, { ...emptyState, posted: earlier })).toEqual({
    ...emptyState,
    posted: earlier,
  });
  expect(stateAfterUnsent(posted, create, emptyState)).toEqual(emptyState);
  expect(stateAfterUnsent(posted, read, emptyState)).toBe(posted.state);
});

describe("a pause", () => {
  it.each([true, false])("keeps what was created and is not recorded: paused %s", (isPaused) => {
    const created = { posted: { naturalKey: "key" }, issued: { uid } };
    const state = { ...emptyState, ...created, failure, waitingSince: 1_000 };
    const resource = groupResource(isPaused ? { metadata: { annotations: { [pausedAnnotation]: "true" } } } : {});
    const after = stateAfterDecision(observed({ state, resource }), { do: "done" });
    expect(after).toEqual({ ...emptyState, ...(isPaused ? created : {}) });
  });
});

describe("a wait", () => {
  it("is remembered from its start until nothing is left to do", () => {
    const started = stateAfterDecision(at(2_000), { do: "wait", until: 9_000 });
    expect(started.waitingSince).toBe(2_000);
    expect(stateAfterDecision(at(3_000, started), { do: "wait", until: 9_000 })).toBe(started);
    expect(stateAfterDecision(at(4_000, started), { do: "done" })).toEqual(emptyState);
  });

  it("remembers the roles and role bindings that it is for while it lasts", () => {
    const denied = (deniedRoles: readonly string[]) => [{ ...holdsNothing, denied: [uid], deniedRoles }];
    const wait = { do: "wait", until: 9_000 } as const;
    const started = stateAfterDecision({ ...at(2_000), grants: denied(["a", "b"]) }, wait);
    expect(started).toMatchObject({ waitingSince: 2_000, deniedBy: ["a", "b", uid] });
    expect(stateAfterDecision({ ...at(3_000, started), grants: denied(["a", "b"]) }, wait)).toBe(started);
    const fewer = stateAfterDecision({ ...at(3_000, started), grants: denied(["b"]) }, wait);
    expect(fewer).toMatchObject({ waitingSince: 2_000, deniedBy: ["b", uid] });
    expect(stateAfterDecision(at(4_000, fewer), wait)).toEqual({ ...emptyState, waitingSince: 2_000 });
    expect(stateAfterDecision(at(4_000, fewer), { do: "done" })).toEqual(emptyState);
    const many = Array.from({ length: 300 }, (_, index) => `${index}`);
    expect(stateAfterDecision({ ...at(2_000), grants: denied(many) }, wait).deniedBy).toBe("many");
    const most = many.slice(0, 255);
    expect(stateAfterDecision({ ...at(2_000), grants: denied(most) }, wait).deniedBy).toEqual([...most, uid]);
  });

  it("starts with a failure, unless the object was waiting before", () => {
    expect(stateAfterFailure(at(1_000), failure, emptyState, true)).toMatchObject({ failure, waitingSince: 1_000 });
    const waiting = { ...emptyState, waitingSince: 500 };
    expect(stateAfterFailure(at(1_000, waiting), failure, waiting, true).waitingSince).toBe(500);
  });
});

describe("the time of a status write", () => {
  it("is remembered once it succeeded", () => {
    expect(stateAfterDecision(at(2_000), { do: "writeStatus", patch: {} })).toBe(emptyState);
    expect(stateAfterStatusWrite(at(2_000), 2_000).statusWrittenAt).toBe(2_000);
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

describe("a refusal", () => {
  const writeStatus = { do: "writeStatus", patch: {} } as const;
  const addFinalizer = { do: "addFinalizer" } as const;
  const refuse = (state: ReconcileState, step: typeof writeStatus | typeof addFinalizer, now: number) => {
    const given = at(now, state);
    return stateAfterRefusal(given, step, refusalOf(given, step.do, { code: 403, message: "no" }, now, 0), now);
  };

  it("backs off from 1 s to 5 min", () => {
    let state: ReconcileState = emptyState;
    const delays = Array.from({ length: 11 }, () => {
      state = refuse(state, addFinalizer, 0);
      return state.refusals?.addFinalizer?.retryAt;
    });
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000));
  });

  it("of the write of a code backs off from 1 min to 8 h: each attempt costs a resource", () => {
    const refusals = (attempts: number) => ({
      writeSecret: {
        code: 403,
        message: "",
        attemptOf: refusalOf(at(0), "writeSecret", { code: 403, message: "" }, 0, 0).attemptOf,
        attempts,
        retryAt: 0,
      },
    });
    const delayAfter = (attempts: number) =>
      refusalOf(at(0, { ...emptyState, refusals: refusals(attempts) }), "writeSecret", { code: 403, message: "" }, 0, 0)
        .retryAt;
    expect([0, 1, 8, 9, 30].map(delayAfter)).toEqual([1, 2, 256, 480, 480].map((minutes) => minutes * 60_000));
  });

  it("is repeated up to a fifth later than that, so that the objects of a namespace do not retry at once", () => {
    const retryAt = (random: number) =>
      refusalOf(observed(), "addFinalizer", { code: 403, message: "" }, 0, random).retryAt;
    expect([retryAt(0), retryAt(0.5)]).toEqual([1_000, 1_100]);
  });

  it("is remembered for each step, until that step is accepted or nothing is left to do", () => {
    const both = refuse(refuse(emptyState, addFinalizer, 1_000), writeStatus, 2_000);
    expect(Object.keys(both.refusals ?? {})).toEqual(["addFinalizer", "writeStatus"]);
    expect(both.waitingSince).toBe(1_000);
    const one = stateAfterAcceptance(at(3_000, both), addFinalizer);
    expect(Object.keys(one.refusals ?? {})).toEqual(["writeStatus"]);
    expect(stateAfterAcceptance(at(3_000, one), addFinalizer)).toBe(one);
    expect(stateAfterAcceptance(at(3_000, one), writeStatus)).not.toHaveProperty("refusals");
    expect(stateAfterDecision(at(3_000, both), { do: "done" })).toEqual(emptyState);
  });

  it("contains no token and is bounded", () => {
    const { message } = refusalOf(
      observed(),
      "addFinalizer",
      { code: 403, message: `Bearer x\n${"y".repeat(2_000)}` },
      0,
      0,
    );
    expect(message).toMatch(/^\[redacted\] y+…$/);
    expect(message).toHaveLength(1_024);
  });
});

describe("a failure of a call during which its cause changed", () => {
  it("does not delay the next call", () => {
    const changed = { ...emptyState, causeChanges: 1 };
    expect(stateAfterFailure(at(1_000, changed), failure, emptyState, true).failure).toMatchObject({
      at: 1_000,
      retryAt: 1_000,
    });
    expect(stateAfterFailure(at(1_000, changed), failure, changed, true).failure).toBe(failure);
  });

  it("keeps what was observed during the call", () => {
    const deleted = { ...emptyState, deletionSeenAt: 900 };
    expect(stateAfterFailure(at(1_000, deleted), failure, emptyState, true).deletionSeenAt).toBe(900);
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
    expect(sent.posted).toEqual({ naturalKey: "key", tenant: "team" });
    expect(stateAfterSuccess(at(1_000), create).posted).toEqual({ naturalKey: "key", tenant: "team" });
    expect(stateAfterDecision(at(2_000, sent), { do: "writeStatus", patch: { uid } }).posted).toBeDefined();
    expect(stateAfterDecision(at(3_000, sent), { do: "done" })).not.toHaveProperty("posted");
  });

  it("is forgotten only if its failure proves that it had no effect", () => {
    const sent = at(1_000, stateAfterDecision(at(1_000), create));
    expect(stateAfterFailure(sent, failed, emptyState, true)).not.toHaveProperty("posted");
    expect(stateAfterFailure(sent, failed, emptyState, false).posted).toBeDefined();
  });

  it("that had no effect does not hide an earlier one", () => {
    const earlier = { ...emptyState, posted: { naturalKey: "key" } };
    expect(stateAfterFailure(at(1_000, earlier), failed, earlier, true).posted).toEqual(earlier.posted);
  });
});
