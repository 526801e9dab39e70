import { readyCondition } from "#src/api/condition.ts";
import type { Status } from "#src/api/status.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Outcome } from "./outcome.ts";
import type { Recorded } from "#src/reconcile/observe/observed.ts";

// Which generation of the spec the external resource matched last. What differs from that generation was changed outside of
// Kubernetes; what differs from a later one is an edit that was not applied yet.

/** The generation that the recorded resource matched last; undefined if it has matched none. */
export function appliedGeneration(status: Status | undefined): number | undefined {
  const ready = readyCondition({ status });
  return ready?.status === "True" ? ready.observedGeneration : status?.appliedGeneration;
}

/** Whether this generation of the spec had been applied to the resource with this uid. */
export function wasApplied({ resource: { status, metadata } }: DecisionInput, uid: string): boolean {
  return status?.uid === uid && appliedGeneration(status) === metadata.generation;
}

/**
 * What the status must say of it, so that an interruption does not lose it: the condition Ready says it while it is True,
 * and null removes the field.
 */
export function keptAppliedGeneration(before: Status | undefined, outcome: Outcome): number | null {
  if (before?.uid === undefined || outcome.is === "ready") return null;
  if ("recorded" in outcome && outcome.recorded !== undefined) {
    const { recorded } = outcome;
    if (typeof recorded === "string" || !isSameRecord(recorded, before)) return null;
  }
  return appliedGeneration(before) ?? null;
}

/** Whether the status records the same resource, managed in the same way: a singleton has the uid of the one before it. */
function isSameRecord({ uid, createTime, management }: Recorded, before: Status): boolean {
  return uid === before.uid && createTime === before.createTime && management === before.management;
}
