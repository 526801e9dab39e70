import { expect, it } from "vitest";
import type { ExternalResource, ExternalState, ReconcileState } from "#src/reconcile/observe/observed.ts";
import { decide } from "./decide.ts";
import {
  emptyState,
  externalGroup,
  groupResource,
  justRead,
  kindOf,
  observed,
  type ObservedParts,
  parent,
  ready,
  uid,
} from "./observed-fixture.testing.ts";
import type { Step } from "./step.ts";

/** A decision: what is observed, and what the step must match. */
export interface DecisionCase {
  readonly name: string;
  readonly given: ObservedParts;
  readonly expected: object;
}

/**
 * A test for each case: the step matches what is expected, and a copy of the observation that was written as JSON and
 * read again leads to the same step.
 */
export function itDecides(cases: readonly DecisionCase[]): void {
  it.each(cases)("$name", ({ given, expected }) => {
    const observation = observed(given);
    const step = decide(observation, kindOf(observation)).step;
    expect(step).toMatchObject(expected);
    const copy = JSON.parse(JSON.stringify(observation)) as typeof observation;
    expect(copy).toStrictEqual(observation);
    expect(decide(copy, kindOf(copy)).step).toStrictEqual(step);
  });
}

/** The step for an observation. */
export function stepFor(parts: ObservedParts): Step {
  const observation = observed(parts);
  return decide(observation, kindOf(observation)).step;
}

/** The step that writes Ready=False with `reason` and a message that contains `message`. */
export function reports(reason: string, message = "", more: object = {}) {
  return writesCondition({ type: "Ready", status: "False", reason, message: expect.stringContaining(message) }, more);
}

/** The step that writes Stalled=True with `reason` and a message that contains `message`. */
export function reportsStalled(reason: string, message = "") {
  return writesCondition({ type: "Stalled", status: "True", reason, message: expect.stringContaining(message) });
}

function writesCondition(condition: object, more: object = {}) {
  return {
    do: "writeStatus",
    patch: { conditions: expect.arrayContaining([expect.objectContaining(condition)]), ...more },
  };
}

export const becomesReady = {
  ...writesCondition({ type: "Ready", status: "True" }, { uid, parentUid: parent }),
};

/** The state of an object that has been waiting long enough to report it. */
export const waitingLong: ReconcileState = { ...emptyState, waitingSince: 0 };
/** A group that is Ready. */
export const readyGroup = groupResource({ status: ready });

export function present(resource: ExternalResource, seenAt = justRead): ExternalState {
  return { is: "present", resource, seenAt };
}

export function unmarked(description = "") {
  return externalGroup({ description });
}
