import { hasFinalizer } from "#src/api/custom-resource.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import type { ExternalResource, MonotonicTime } from "#src/reconcile/observe/observed.ts";
import { minutes } from "#src/time/durations.ts";
import { isAbsentBelowRoots, proveAbsenceBelowRoots } from "./absence.ts";
import { type Check, check } from "./check.ts";
import type { DecisionInput } from "./decision-input.ts";
import { conclude } from "./conclude.ts";
import * as deletionMessages from "./deletion-messages.ts";
import { type Problem, waiting } from "./outcome.ts";
import { guardsNoIssued, isOnlyHeld, issuesCode } from "./issued.ts";
import { isNeverAdopted, managedUid } from "./ownership.ts";
import { leaveUnproven } from "./release.ts";
import { attempt } from "./retry.ts";
import type { Step } from "./step.ts";

// What may exist on the platform because of an object, although its status records no uid.

/**
 * The resource of this object although its uid was never recorded. A marker identifies it. A role binding without one is
 * ours only if it is what this process, or perhaps an earlier one, created, and no other object wants it; what may not be
 * taken over is not ours, either.
 */
export function unrecordedMatch(observed: DecisionInput): ExternalResource | undefined {
  const { resource, kind, state, createdHere, wantedByOthers } = observed;
  const matches = observed.matches.filter(({ uid }) => !wantedByOthers.includes(uid));
  const first = matches.find(({ uid }) => createdHere.includes(uid)) ?? matches[0];
  if (kind.hasMarker) return first;
  if (state.posted !== undefined)
    return matches.find((match) => kind.collection.naturalKeyOf(match) === state.posted?.naturalKey);
  // An object with spec.uid never creates, and an object that was not seen to be created may have, before a restart.
  if (first === undefined || isNeverAdopted(observed, first.uid)) return undefined;
  return state.bornHere || resource.spec.uid !== undefined ? undefined : first;
}

/**
 * Whether the recorded resource is gone, and this or an earlier process may have created another one whose uid the status does
 * not record yet. What existed when this process decided to delete it was not created again before, and not since without a POST.
 */
function mayBeCreatedAgain(observed: DecisionInput): boolean {
  const { claim, state } = observed;
  const recorded = managedUid(observed);
  if (recorded === undefined || issuesCode(observed)) return false;
  if (claim?.uid !== recorded || claim.external.is !== "gone") return false;
  return state.posted !== undefined || state.deleting !== recorded;
}

/**
 * The step that proves that nothing was created in place of the recorded resource, which is gone; undefined if that is known.
 * @param meanwhile what the object waits for until it is proven
 */
function proveNotCreatedAgain(observed: DecisionInput, meanwhile?: Problem): Step | undefined {
  return mayBeCreatedAgain(observed) ? proveAbsenceBelowRoots(observed, meanwhile) : undefined;
}

/** The uid of the resource of an object that ends: what the status records, or else what was found without that. */
export function uidToEnd(observed: DecisionInput): string | undefined {
  const recorded = managedUid(observed);
  if (recorded !== undefined)
    return (mayBeCreatedAgain(observed) ? unrecordedMatch(observed)?.uid : undefined) ?? recorded;
  if (!issuesCode(observed)) return unrecordedMatch(observed)?.uid;
  const { claim, wantedByOthers } = observed;
  if (claim === null || claim.claimedBy !== null) return undefined;
  return isOnlyHeld(observed) && wantedByOthers.includes(claim.uid) ? undefined : claim.uid;
}

/** Whether the finalizer guards nothing: nothing exists because of this object, and no POST of it can still take effect. */
export function guardsNothing(observed: DecisionInput): boolean {
  const { resource, state, now, settledAt } = observed;
  if (issuesCode(observed)) return hasFinalizer(resource) && guardsNoIssued(observed);
  if (!hasFinalizer(resource) || managedUid(observed) !== undefined || state.posted !== undefined) return false;
  if (!mayHaveManaged(resource)) return true;
  if (unrecordedMatch(observed) !== undefined) return false;
  if (state.bornHere) return true;
  return now >= settledAt && createdNothing(observed);
}

/**
 * The uids of what equals an object that has nothing which the operator may delete, and that may have been created for it
 * nevertheless: it belongs to an identity of another owner, or for emergencies, so nobody can tell.
 */
function unprovenUids(observed: DecisionInput): readonly string[] {
  const { kind, unrecorded, matches, state, resource } = observed;
  if (state.bornHere || resource.spec.uid !== undefined || !mayHaveManaged(resource)) return [];
  const identified = unrecorded?.is === "identified" ? unrecorded.kept : [];
  const matched = kind.hasMarker ? [] : matches.map(({ uid }) => uid).filter((uid) => isNeverAdopted(observed, uid));
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

/** Whether the proof is complete that no process created anything for an object that no Tenant permits now. */
function createdNothing(observed: DecisionInput): boolean {
  const { unrecorded, settledAt, kind } = observed;
  // A marker is found in any group.
  if (kind.hasMarker && !isAbsentBelowRoots(observed)) return false;
  if (unrecorded?.is !== "identified") return unrecorded?.is === "impossible";
  const { snapshot, found } = unrecorded;
  return snapshot !== null && snapshot.startedAt >= settledAt && found.length === 0;
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
  // What the Secret names, or a reference means, cannot be looked at.
  if (kind.issued !== null || unrecorded?.is === "unknown") return conclude(observed, problem, now + recheckMs);
  if (unrecorded?.is !== "identified") return conclude(observed, problem, recheckUnrecordedAt(observed));
  const { group, isListable, found } = unrecorded;
  const isFound = found.length > 0 || unrecordedMatch(observed) !== undefined;
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
export function createdAgain<Input extends DecisionInput>(
  meanwhile: (observed: Input) => Problem | undefined = () => undefined,
): Check<Input> {
  return check("createdAgain", "That nothing was created in its place is not proven.", (observed) =>
    proveNotCreatedAgain(observed, meanwhile(observed)),
  );
}
