import { describe, expect, it } from "vitest";
import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { statusBounds } from "#src/api/status.ts";
import { groupResource, platformError } from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { Failure } from "./reconcile-state.ts";
import { ReconcileStates } from "./reconcile-states.ts";

const key = "team/payments";
const deletionTimestamp = "2026-01-01T00:00:00Z";
const failure: Failure = {
  step: "read",
  problem: { kind: "rejected", error: platformError("UNAVAILABLE") },
  attemptOf: "",
  attempts: 1,
  at: 1_000,
  retryAt: 1_250,
};

function cached(metadata: object = {}) {
  const resource = groupResource({ metadata });
  return { metadata: resource.metadata, resource, invalid: undefined, objectHash: "" };
}

describe("the state of an object", () => {
  it("starts when the object is first seen, and again for an object that was created again under its name", () => {
    const states = new ReconcileStates();
    states.get(key, cached(), 1_000);
    expect(states.get(key, cached(), 2_000).firstSeenAt).toBe(1_000);
    expect(states.get(key, cached({ uid: "another" }), 2_000).firstSeenAt).toBe(2_000);
  });

  it("keeps the times at which a deletion and a request were first seen, and bounds the request's value", () => {
    const states = new ReconcileStates();
    const metadata = { deletionTimestamp, annotations: { [reconcileRequestedAtAnnotation]: "x".repeat(10_000) } };
    states.get(key, cached(), 1_000);
    states.get(key, cached(metadata), 2_000);
    const later = states.get(key, cached(metadata), 3_000);
    expect(later).toMatchObject({ deletionSeenAt: 2_000, request: { seenAt: 2_000 } });
    expect(later.request?.value).toHaveLength(statusBounds.text);
  });

  it("does not split a character of the request's value: the API server would store another one", () => {
    const states = new ReconcileStates();
    const value = `${"x".repeat(statusBounds.text - 1)}😀`;
    const { request } = states.get(key, cached({ annotations: { [reconcileRequestedAtAnnotation]: value } }), 1_000);
    expect(request?.value).toBe("x".repeat(statusBounds.text - 1));
  });

  it("stays forgotten if a call for the object ends later", () => {
    const states = new ReconcileStates();
    const { resourceUid } = states.get(key, cached(), 1_000);
    const wait = () => states.update(key, resourceUid, (state) => ({ ...state, waitingSince: 1_000 }));
    wait();
    expect(Array.from(states.waiting(), ([one]) => one)).toEqual([key]);
    states.forget(key);
    wait();
    expect(Array.from(states.waiting(), ([one]) => one)).toEqual([]);
  });

  it("is among those that wait, or were refused something, only as long as it does or was", () => {
    const states = new ReconcileStates();
    const { resourceUid } = states.get(key, cached(), 1_000);
    const refusal = { code: 403, message: "forbidden", attemptOf: "", attempts: 1, retryAt: 2_000 };
    const listed = () => [
      Array.from(states.waiting(), ([one]) => one),
      Array.from(states.refusals(), ([one, step]) => `${one} ${step}`),
    ];
    states.update(key, resourceUid, (state) => ({ ...state, waitingSince: 1_000, refusals: { readCrd: refusal } }));
    expect(listed()).toEqual([[key], [`${key} readCrd`]]);
    expect(states.endRefusals("readCrd", "team", 1_500)).toEqual([key]);
    states.clearFailure(key);
    expect(listed()).toEqual([[key], [`${key} readCrd`]]);
    states.update(key, resourceUid, ({ waitingSince: _since, refusals: _refusals, ...rest }) => rest);
    expect(listed()).toEqual([[], []]);
    states.update(key, resourceUid, (state) => ({ ...state, waitingSince: 1_000, refusals: { readCrd: refusal } }));
    states.get(key, cached({ uid: "another" }), 2_000);
    expect(listed()).toEqual([[], []]);
  });

  it("loses its failure when the cause has changed", () => {
    const states = new ReconcileStates();
    const { resourceUid } = states.get(key, cached(), 1_000);
    states.update(key, resourceUid, (state) => ({ ...state, failure }));
    expect(states.get(key, cached(), 1_000).failure).toBe(failure);
    states.clearFailure(key);
    expect(states.get(key, cached(), 1_000)).not.toHaveProperty("failure");
    expect(states.get(key, cached(), 1_000).causeChanges).toBe(1);
  });

  it("keeps the deletion that was first seen during a call", () => {
    const states = new ReconcileStates();
    const { resourceUid } = states.get(key, cached(), 1_000);
    states.get(key, cached({ deletionTimestamp }), 2_000);
    states.update(key, resourceUid, (state) => ({ ...state, failure }));
    expect(states.get(key, cached({ deletionTimestamp }), 3_000)).toMatchObject({ failure, deletionSeenAt: 2_000 });
  });
});

it("ends the delays after refusals in a namespace at most once a second", () => {
  const states = new ReconcileStates();
  const refuse = (name: string, resourceUid: string) => {
    states.get(name, cached({ uid: resourceUid }), 0);
    const refusal = { code: 403, message: "forbidden", attemptOf: "", attempts: 1, retryAt: 60_000 };
    states.update(name, resourceUid, (state) => ({ ...state, refusals: { addFinalizer: refusal } }));
  };
  const ended = (namespace: string, now: number) => states.endRefusals("addFinalizer", namespace, now);
  for (const name of ["team/a", "others/b"]) refuse(name, name);
  expect(ended("team", 5_000)).toEqual(["team/a"]);
  refuse("team/a", "team/a");
  expect(ended("team", 5_999)).toEqual([]);
  expect(ended("others", 5_999)).toEqual(["others/b"]);
  expect(ended("team", 6_000)).toEqual(["team/a"]);
});

it("reports when the deletion of any object was last seen", () => {
  const states = new ReconcileStates();
  states.get(key, cached(), 1_000);
  expect(states.lastDeletionAt).toBeNull();
  states.get(key, cached({ deletionTimestamp }), 2_000);
  states.get(key, cached({ deletionTimestamp }), 3_000);
  expect(states.lastDeletionAt).toBe(2_000);
});

describe("the objects that changed", () => {
  it("are those that were edited, until they are at rest, and those that are being deleted, until they are gone", () => {
    const states = new ReconcileStates();
    for (const name of ["a", "b", "c"]) states.get(name, cached(), 1_000);
    expect(states.takeChanged(10)).toEqual([]);
    states.get("a", cached({ generation: 2 }), 2_000);
    states.get("b", cached({ deletionTimestamp }), 3_000);
    expect(states.takeChanged(10)).toEqual([
      ["a", 2_000],
      ["b", 3_000],
    ]);
    states.rest("a");
    states.rest("b");
    expect(states.takeChanged(10)).toEqual([["b", 3_000]]);
    states.forget("b");
    expect(states.takeChanged(10)).toEqual([]);
  });

  it("take turns", () => {
    const states = new ReconcileStates();
    for (const name of ["a", "b", "c"]) states.get(name, cached({ deletionTimestamp }), 1_000);
    const next = () => states.takeChanged(2).map(([name]) => name);
    expect([next(), next(), next()]).toEqual([
      ["a", "b"],
      ["c", "a"],
      ["b", "c"],
    ]);
  });
});

it("deletions are frequent after some in a row, until there is a gap", () => {
  const states = new ReconcileStates();
  const afterDeletionAt = (at: number) => {
    states.get(`object-${at}`, cached({ deletionTimestamp }), at);
    return states.deletionsAreFrequent;
  };
  expect([0, 249, 400, 600, 800, 1_000, 1_200, 1_450].map(afterDeletionAt)).toEqual([
    false,
    false,
    false,
    false,
    false,
    true,
    true,
    false,
  ]);
});
