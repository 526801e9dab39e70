import type { Group } from "#src/api/group.ts";
import type { RoleBinding } from "#src/api/role-binding.ts";
import type { PlatformError } from "#src/platform-client/failure.ts";
import type { ReconcileState } from "#src/reconcile/observe/observed.ts";
import { attemptOf } from "./attempted.ts";
import { type DecisionCase, itDecides, present } from "./decision-cases.testing.ts";
import {
  bindingResource,
  emptyState,
  externalGroup,
  groupResource,
  observed,
  type ObservedParts,
  type Parts,
  ready,
} from "./observed-fixture.testing.ts";
import type { PlatformStep } from "./step.ts";

/** For tests of deletions: objects that are being deleted. */

export const deletionTimestamp = "2026-02-02T02:02:02Z";
/** The state of an object whose deletion was seen before the CustomResourceDefinition was read. */
export const deletionSeen: ReconcileState = { ...emptyState, deletionSeenAt: 18_000 };
export const released = { do: "removeFinalizer" };

export function deletedGroup(parts: Parts<Group> = {}): Group {
  return groupResource({ ...parts, metadata: { ...parts.metadata, deletionTimestamp } });
}

export function deletedBinding(parts: Parts<RoleBinding> = {}): RoleBinding {
  return bindingResource({ ...parts, metadata: { ...parts.metadata, deletionTimestamp } });
}

/** A deleted group that the object created, and that is still there. */
export const existing: ObservedParts = {
  resource: deletedGroup({ status: ready }),
  external: present(externalGroup()),
};

/** The state of an object in which the platform rejected `step` of the present attempt a second ago. */
export function rejectedStep(
  step: PlatformStep["do"],
  error: PlatformError,
  given: ObservedParts,
  state: ReconcileState = deletionSeen,
): ReconcileState {
  const problem = { kind: "rejected", error } as const;
  const times = { attempts: 1, at: 19_000, retryAt: 30_000 };
  return { ...state, failure: { step, problem, attemptOf: attemptOf(observed(given)), ...times } };
}

/** A test for each case, in which the deletion of the object was seen before. */
export function itDecidesDeletion(cases: readonly DecisionCase[]): void {
  itDecides(cases.map((one) => ({ ...one, given: { state: deletionSeen, ...one.given } })));
}
