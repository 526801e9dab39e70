import { expect, it } from "vitest";
import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import { decide } from "./decide.ts";
import type { ReconcileState } from "#src/reconcile/observe/reconcile-state.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { groupResource, groupRow, memory, observed, parent, ready, uid } from "./observed-fixture.testing.ts";

/** What is to be done in a world. */
interface Case {
  readonly name: string;
  readonly given: Partial<Observed>;
  readonly expected: object;
}

/** The status write that tells `reason`, with a part of its message. */
export function tells(reason: string, message = "", more: object = {}) {
  return {
    do: "writeStatus",
    patch: {
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Ready", status: "False", reason, message: expect.stringContaining(message) }),
      ]),
      ...more,
    },
  };
}

/** The status write that tells `reason` as what will not pass by itself. */
export function stalls(reason: string, message = "") {
  return {
    do: "writeStatus",
    patch: {
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Stalled", status: "True", reason, message: expect.stringContaining(message) }),
      ]),
    },
  };
}

/** It has been waiting for so long that it is told. */
export const long: ReconcileState = { ...memory, waitingSince: 0 };
export const present = (row: ExternalResource, seenAt = 60): Observed["external"] => ({ is: "present", row, seenAt });
export const unmarked = (description = "") => groupRow({ description });
const recorded = { status: ready };
export const isReady = groupResource(recorded);
export const becomesReady = {
  do: "writeStatus",
  patch: {
    uid,
    parentUid: parent,
    conditions: expect.arrayContaining([expect.objectContaining({ type: "Ready", status: "True" })]),
  },
};

/** A test for each: what is decided is as expected, in all that is expected of it. */
export function judge(cases: readonly Case[]) {
  it.each(cases)("$name", ({ given, expected }) => {
    expect(decide(observed(given))).toMatchObject(expected);
  });
}
