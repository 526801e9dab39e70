import { hasFinalizer } from "#src/api/custom-resource.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import type { MonotonicTime } from "#src/reconcile/observe/observed.ts";
import { minutes } from "#src/time/durations.ts";
import { proveAbsenceBelowRoots } from "./absence.ts";
import { type Check, check } from "./check.ts";
import type { DecisionInput } from "./decision-input.ts";
import { conclude } from "./conclude.ts";
import * as deletionMessages from "./deletion-messages.ts";
import { type Problem, waiting } from "./outcome.ts";
import { identificationOf } from "./identification-of.ts";
import { isNeverAdopted, managedUid } from "./ownership.ts";
import { leaveUnproven } from "./release.ts";
import { attempt } from "./retry.ts";
import type { Step } from "./step.ts";

// What may exist on the platform because of an object, although its status records no uid.

/**
 * The step that proves that nothing was created in place of the recorded resource, which is gone; undefined if that is known.
 * @param meanwhile what the object waits for until it is proven
 */
function proveNotCreatedAgain(observed: DecisionInput, meanwhile?: Problem): Step | undefined {
  return identificationOf(observed).mayBeCreatedAgain(observed)
    ? proveAbsenceBelowRoots(observed, meanwhile)
    : undefined;
}

/** The uid of the resource of an object that ends: what the status records, or else what was found without that. */
export function uidToEnd(observed: DecisionInput): string | undefined {
  const identification = identificationOf(observed);
  const recorded = managedUid(observed);
  if (recorded === undefined) return identification.unrecordedUid(observed);
  return (identification.mayBeCreatedAgain(observed) ? identification.unrecordedUid(observed) : undefined) ?? recorded;
}

/** Whether the finalizer guards nothing: nothing exists because of this object, and no POST of it can still take effect. */
export function guardsNothing(observed: DecisionInput): boolean {
  return hasFinalizer(observed.resource) && identificationOf(observed).guardsNothing(observed);
}

/**
 * The uids of what equals an object that has nothing which the operator may delete, and that may have been created for it
 * nevertheless: it belongs to an identity of another owner, or for emergencies, so nobody can tell.
 */
function unprovenUids(observed: DecisionInput): readonly string[] {
  const { unrecorded, state, resource } = observed;
  if (state.bornHere || resource.spec.uid !== undefined || !mayHaveManaged(resource)) return [];
  const identified = unrecorded?.is === "identified" ? unrecorded.kept : [];
  const matched = identificationOf(observed)
    .equalUids(observed)
    .filter((uid) => isNeverAdopted(observed, uid));
  return [...new Set([...identified, ...matched])];
}

/** What the object leaves because nobody can tell whether it was created for it, for people; see `unprovenUids`. */
export function leftUnproven(observed: DecisionInput): string | undefined {
  const uids = unprovenUids(observed);
  return uids.length === 0 ? undefined : deletionMessages.leftUnproven(observed.kind.noun, uids);
}

/** The step that removes the finalizer of an object that has nothing which the operator may delete. */
export function removeUnrecorded(observed: DecisionInput): Step {
  const left = leftUnproven(observed);
  return left === undefined ? { do: "removeFinalizer" } : leaveUnproven(observed, left);
}

/** Something may exist because of an object that no Tenant permits now, and it is looked for again. */
const recheckMs = minutes(10);

/**
 * When to look again for what may exist because of an object that no Tenant permits now; undefined if there is nothing to
 * look for.
 */
export function recheckUnrecordedAt(observed: DecisionInput): MonotonicTime | undefined {
  const { unrecorded, now, settledAt, state, tenant } = observed;
  const sender = state.posted?.tenant;
  // What this process created under another Tenant is not seen through this one.
  if (sender !== undefined && (tenant.is !== "known" || tenant.name !== sender)) return now + recheckMs;
  if (unrecorded === null || guardsNothing(observed)) return undefined;
  if (now < settledAt) return settledAt;
  return unrecorded.is === "impossible" ? undefined : now + recheckMs;
}

/**
 * The step for an object without a recorded uid that is being deleted, and that no Tenant permits now. An earlier process
 * may have created a resource for it when it was permitted. One that equals the object, or carries its marker, may be that,
 * or somebody else's: a marker can be copied to where the Tenant may write nothing. So it is not deleted, and not forgotten
 * either. The finalizer stays, with `problem`, until none exists, or until a Tenant permits the object again, which then
 * owns what is found as before. Where the settings of the operator let nobody look, there is nothing to wait for: it would have to
 * have been created under other settings.
 */
export function decideUnpermitted(observed: DecisionInput, problem: Problem): Step {
  const { unrecorded, now, settledAt, kind } = observed;
  const identification = identificationOf(observed);
  if (!identification.canBeLookedFor(observed)) return conclude(observed, problem, now + recheckMs);
  if (unrecorded?.is !== "identified") return conclude(observed, problem, recheckUnrecordedAt(observed));
  const { group, isListable, found } = unrecorded;
  const isFound = found.length > 0 || identification.unrecordedUid(observed) !== undefined;
  if (now < settledAt || isFound) return conclude(observed, problem, recheckUnrecordedAt(observed));
  if (!isListable) return leaveUnproven(observed, deletionMessages.leftUnseen(kind.noun));
  return attempt(observed, {
    do: "list",
    parent: group,
    startedAfter: settledAt,
    stable: false,
    through: "anySession",
  });
}

/**
 * The step for an object that is being deleted, and that refers to one whose status may be lost, as after a restore: it is not
 * forgotten before it is known what the reference means. Undefined if nothing shows that.
 */
export function awaitMeaning(observed: DecisionInput): Step | undefined {
  const { references, unrecorded, now, settledAt, settleMs } = observed;
  if (unrecorded?.is !== "unknown" || references.are !== "waiting" || references.reason === "ReferenceNotGranted")
    return undefined;
  const { unlisted } = unrecorded;
  if (unlisted === undefined || now < settledAt)
    return conclude(observed, waiting(references.reason, references.message), Math.max(settledAt, now + settleMs));
  const { kind, group } = unlisted;
  return attempt(observed, { do: "list", kind, parent: group, startedAfter: settledAt, stable: false });
}

/** A check that finds that proof missing. @param meanwhile what the object reports until it is complete */
export function createdAgainUnproven<Input extends DecisionInput>(
  meanwhile: (observed: Input) => Problem | undefined = () => undefined,
): Check<Input> {
  return check("createdAgain", "That nothing was created in its place is not proven.", (observed) =>
    proveNotCreatedAgain(observed, meanwhile(observed)),
  );
}
