import { describe, expect, it } from "vitest";
import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { statusBounds } from "#src/api/status.ts";
import { PlatformFailure, type PlatformProblem } from "#src/platform-client/failure.ts";
import { ReconcileStates } from "./reconcile-states.ts";
import { groupResource, observed, refusal, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { PlatformStep } from "#src/reconcile/policy/step.ts";

const key = "team/payments";
const read: PlatformStep = { do: "read", uid };
const update = (correction: boolean): PlatformStep => ({
  do: "update",
  uid,
  body: {},
  mask: [],
  drift: [],
  correction,
});
const held = (metadata: object = {}) => {
  const resource = groupResource({ metadata });
  return { metadata: resource.metadata, resource, invalid: undefined, objectHash: "" };
};
const busy: PlatformProblem = { kind: "refused", error: refusal("UNAVAILABLE") };

function remembering(now = 1_000) {
  const memories = new ReconcileStates();
  const recall = (at = now, metadata = {}) => memories.get(key, held(metadata), at);
  recall();
  const seen = (at = now) => observed({ state: recall(), now: at });
  const fail = (detail: PlatformProblem, random = 0.5, at = now, step = read) =>
    memories.afterFailure(key, seen(at), step, new PlatformFailure("read groups", detail), at, random);
  return { memories, recall, seen, fail };
}

describe("what is remembered", () => {
  it("starts afresh for an object that was deleted and made anew", () => {
    const { memories, recall } = remembering();
    expect(recall(2_000).firstSeenAt).toBe(1_000);
    expect(memories.get(key, held({ uid: "another" }), 2_000).firstSeenAt).toBe(2_000);
  });

  it("keeps the moments at which a deletion and a wish were first seen", () => {
    const { recall } = remembering();
    const metadata = {
      deletionTimestamp: "2026-01-01T00:00:00Z",
      annotations: { [reconcileRequestedAtAnnotation]: "x".repeat(10_000) },
    };
    recall(2_000, metadata);
    const later = recall(3_000, metadata);
    expect(later).toMatchObject({ deletionSeenAt: 2_000, request: { seenAt: 2_000 } });
    expect(later.request?.value).toHaveLength(statusBounds.text);
  });

  it("is forgotten for good, even if a call for it is still under way", () => {
    const { memories, seen, fail } = remembering();
    const given = seen();
    memories.afterDecision(key, given, { do: "wait", until: 5_000 });
    expect([...memories.waiting()]).toEqual([key]);
    memories.forget(key);
    memories.afterFailure(key, given, read, new PlatformFailure("read", busy), 1_000, 0.5);
    expect([...memories.waiting()]).toEqual([]);
    fail(busy);
  });
});

describe("a wait", () => {
  it("is remembered from its first moment until all is done", () => {
    const { memories, recall, seen } = remembering();
    memories.afterDecision(key, seen(2_000), { do: "wait", until: 9_000 });
    memories.afterDecision(key, seen(3_000), { do: "wait", until: 9_000 });
    expect(recall().waitingSince).toBe(2_000);
    memories.afterDecision(key, seen(4_000), { do: "done" });
    expect(recall()).not.toHaveProperty("waitingSince");
  });
});

describe("a failure", () => {
  it.each<[string, PlatformProblem, number, number]>([
    ["is tried again within 250 ms at first", busy, 0.5, 125],
    ["at once at the least", busy, 0, 0],
    ["not before the time that the platform named", { ...busy, retryAfterMs: 3_000 }, 0.5, 3_125],
    [
      "in an hour, where nothing but a change can help",
      { kind: "refused", error: refusal("INVALID_ARGUMENT") },
      0.5,
      3_600_000,
    ],
  ])("%s", (_, detail, random, ms) => {
    expect(remembering().fail(detail, random).retryAt).toBe(1_000 + ms);
  });

  it("waits twice as long each time, and 5 min at most", () => {
    const { fail } = remembering();
    const waits = Array.from({ length: 14 }, () => fail(busy, 1).retryAt - 1_000);
    expect(waits.slice(0, 4)).toEqual([250, 500, 1_000, 2_000]);
    expect(waits.at(-1)).toBe(300_000);
  });

  it("of one step is not forgotten by the success of another", () => {
    const { memories, recall, seen, fail } = remembering();
    fail(busy);
    memories.afterSuccess(key, seen(), update(false));
    expect(recall().failure).toBeDefined();
    memories.afterSuccess(key, seen(), read);
    expect(recall().failure).toBeUndefined();
  });

  it("is forgiven when what stood in its way has changed", () => {
    const { memories, recall, fail } = remembering();
    fail(busy);
    memories.clearFailure(key);
    expect(recall().failure).toBeUndefined();
  });
});

it("corrections are counted for an hour, and edits are not", () => {
  const { memories, recall, seen } = remembering();
  memories.afterSuccess(key, seen(1_000), update(true));
  memories.afterSuccess(key, seen(2_000), update(false));
  memories.afterSuccess(key, seen(3_000), update(true));
  expect(recall().corrections).toEqual([1_000, 3_000]);
  memories.afterSuccess(key, seen(3_602_000), update(true));
  expect(recall().corrections).toEqual([3_000, 3_602_000]);
});
