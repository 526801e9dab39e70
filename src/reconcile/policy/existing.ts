import { hasFinalizer } from "#src/api/custom-resource.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import { check, part, type Phase, reports } from "./check.ts";
import { asClaimed, claimed } from "./claimed.ts";
import { conclude, statusDelayAmidDeletions, statusDelayMs } from "./conclude.ts";
import { asManaged, type DecisionInput, type Managed } from "./decision-input.ts";
import { asExpiring, expiring, grantExpiry } from "./expiry.ts";
import { codeNotHandedOver } from "./handover.ts";
import { identifiedBy } from "./identified-by.ts";
import { issuing } from "./issue.ts";
import * as messages from "./messages.ts";
import { isPaused } from "./object.ts";
import { asObserving, observing } from "./observation.ts";
import { type Problem, stalled, waiting } from "./outcome.ts";
import { stalledDelayMs, wasReady } from "./retry.ts";
import type { Step } from "./step.ts";
import { findOnlyDeletions, findUngoverned } from "./tenant.ts";
import { unclaimed } from "./unclaimed.ts";
import { rolesUnread, unreadKind } from "./unread.ts";
import { guardsNothing, recheckUnrecordedAt, removeUnrecorded } from "./unrecorded.ts";

/**
 * An object that manages a resource, or is to have one. A new object passes here three times: nothing is known, and `unclaimed` creates
 * the resource; the resource is known, and no status records it, so that `unclaimed` finds it (`asMatched`); the status records it, and
 * `claimed` has nothing left to do.
 */
const managing: Phase<Managed> = [part("the spec or the status names a uid", asClaimed, claimed), ...unclaimed];

/** An object that is not being deleted. */
export const existing: Phase = [
  // At once: after an edit, nothing would show any longer that the object has only observed.
  check(
    "finalizerUnneeded",
    "The object has a finalizer, and has only observed since it was created.",
    ({ resource }) =>
      hasFinalizer(resource) && !mayHaveManaged(resource) && !isPaused(resource)
        ? { do: "removeFinalizer" }
        : undefined,
  ),
  part("`expiresAt` has passed", asExpiring, expiring),
  reports("paused", "The annotation says to leave the resource as it is.", ({ resource }) =>
    isPaused(resource) ? { is: "paused" } : undefined,
  ),
  reports("specInvalid", "The object does not match the schema of its kind.", (observed) =>
    observed.invalid === null
      ? undefined
      : stalled("InvalidSpec", messages.invalidSpec(observed.invalid, grantExpiry(observed))),
  ),
  check("ungoverned", "Not exactly one Tenant governs the object.", (observed) =>
    leaveIdle(observed, findUngoverned(observed)),
  ),
  check("onlyDeletions", "The Tenant is being deleted, or no longer selects the namespace.", (observed) =>
    leaveIdle(observed, findOnlyDeletions(observed)),
  ),
  identifiedBy("secret", [codeNotHandedOver]),
  rolesUnread,
  check(
    "referencedKindUnread",
    "Kubernetes has not let the operator read a kind that the spec refers to.",
    (observed) => {
      const { references, now } = observed;
      if (references.are !== "unreadKind") return undefined;
      if (wasReady(observed)) return { do: "wait", until: now + stalledDelayMs };
      return conclude(observed, unreadKind(references));
    },
  ),
  reports(
    "referenceMissing",
    "An object that the spec refers to is missing, not Ready, or not granted.",
    (observed) => {
      const { references } = observed;
      if (references.are !== "waiting") return undefined;
      return {
        ...waiting(references.reason, references.message),
        statusDelayMs: references.deleting === true ? statusDelayAmidDeletions(observed) : statusDelayMs,
      };
    },
  ),
  check("referenceDenied", "The Tenant does not permit what the spec refers to.", (observed) => {
    const { references } = observed;
    if (references.are !== "denied") return undefined;
    return leaveIdle(observed, stalled("TenantDenied", references.message));
  }),
  reports("referenceInvalid", "The references form a cycle.", ({ references }) =>
    references.are === "invalid" ? stalled("InvalidSpec", references.message) : undefined,
  ),
  part("`spec.policy.management` is Observe", asObserving, observing),
  part("the object has a parent", asManaged, [identifiedBy("secret", issuing), ...managing]),
  // The schema requires a parent of every object that manages.
  reports("parentMissing", "The spec names no group.", () => stalled("InvalidSpec", messages.withoutParent())),
];

/** No Tenant permits the object. Its finalizer stays only while something may exist because of the object. */
function leaveIdle(observed: DecisionInput, problem: Problem | undefined): Step | undefined {
  if (problem === undefined) return undefined;
  return guardsNothing(observed)
    ? removeUnrecorded(observed)
    : conclude(observed, problem, recheckUnrecordedAt(observed));
}
