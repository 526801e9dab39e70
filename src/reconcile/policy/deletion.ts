import { carriedMarker, withoutMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { proveAbsenceBelowRoots } from "./absence.ts";
import { conclude, maxStatusDelayMs, statusDelayAmidDeletions } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { rootAbove } from "./location.ts";
import * as messages from "./messages.ts";
import { hasFinalizer, isAbandoned, isPaused } from "./object.ts";
import { type Problem, stalled, waiting } from "./outcome.ts";
import { hasForeignMarker, isProtected } from "./ownership.ts";
import { attempt } from "./retry.ts";
import type { Event, Step } from "./step.ts";
import { findUngoverned } from "./tenant.ts";

/**
 * The step for an object that is being deleted. Deletion uses the recorded uid and does not need the references. The
 * finalizer is removed without an external change if nothing was created, if the resource is not ours, or if it stays.
 */
export function decideDeletion(observed: DecisionInput): Step {
  const { resource, claim } = observed;
  if (!hasFinalizer(resource)) return { do: "done" };
  if (isAbandoned(resource))
    return { do: "removeFinalizer", event: orphaned(observed, claim?.uid, messages.orphanedBecause.abandoned) };
  if (isPaused(resource)) return conclude(observed, { is: "paused" });
  if (claim !== null && claim.olderClaimant !== null) return { do: "removeFinalizer" };
  const ungoverned = findUngoverned(observed);
  if (ungoverned !== undefined)
    return observed.resource.status?.uid === undefined && observed.state.bornHere
      ? { do: "removeFinalizer" }
      : conclude(observed, ungoverned);
  const uid = claim?.uid ?? unrecordedMatch(observed)?.uid;
  if (uid === undefined) return decideNeverRecorded(observed);
  const root = rootAbove(observed, uid);
  return root === undefined
    ? conclude(observed, stalled("TenantDenied", messages.outsideRoots(uid)))
    : decideRecorded(observed, uid, root);
}

/** No uid is recorded. The resource may exist nevertheless, created by a request whose response was lost. */
function decideNeverRecorded(observed: DecisionInput): Step {
  const { state, postedHere, references, kind } = observed;
  if (state.bornHere && !postedHere) return { do: "removeFinalizer" };
  if (references.are === "unread") return attempt(observed, { do: "refreshPermissions" });
  // A resource without a marker is identified by its fields. What these are is unknown while a kind has not been read.
  if (!kind.hasMarker && references.are === "unreadKind")
    return conclude(
      observed,
      waiting("ReferenceNotReady", messages.referencedKindUnread(references.path, references.kind)),
    );
  // If what they refer to is gone, the resource is gone, too.
  if (!kind.hasMarker && references.are !== "resolved") return { do: "removeFinalizer" };
  return proveAbsenceBelowRoots(observed) ?? { do: "removeFinalizer" };
}

/** The resource of this object is `uid`, which lies below `root`. */
function decideRecorded(observed: DecisionInput, uid: string, root: string): Step {
  const { resource, kind, claim, crd, state, matches } = observed;
  const external = claim?.external ?? { is: "unknown" };
  const keeps = resource.spec.policy.deletion === "Orphan";
  if (external.is === "gone" || isProtected(observed, uid)) return { do: "removeFinalizer" };
  if (crd === null || crd.readAt < (state.deletionSeenAt ?? state.firstSeenAt)) return { do: "readCrd" };
  if (crd.deleting)
    return { do: "removeFinalizer", event: orphaned(observed, uid, messages.orphanedBecause.kindRemoved) };
  const dependents = keeps ? undefined : findDependents(observed);
  if (dependents !== undefined) return conclude(observed, dependents);
  const found = external.is === "present" ? external.resource : matches.find((match) => match.uid === uid);
  if (found === undefined)
    return attempt(
      observed,
      external.is === "unknown" ? { do: "list", parent: root, startedAfter: 0, stable: false } : { do: "read", uid },
    );
  if (hasForeignMarker(observed, found)) return { do: "removeFinalizer" };
  if (keeps) return decideOrphan(observed, found);
  return attempt(observed, {
    do: "delete",
    uid,
    event: { type: "Normal", reason: "Deleted", note: messages.deleted(kind.noun, uid, equalTo(observed, uid)) },
  });
}

/** The resource stays on the platform: remove the marker, so that it is no longer taken for ours, then the finalizer. */
function decideOrphan(observed: DecisionInput, external: ExternalResource): Step {
  const { failure } = observed.state;
  const release: Step = {
    do: "removeFinalizer",
    event: orphaned(observed, external.uid, messages.orphanedBecause.policy),
  };
  if (external.description === undefined || carriedMarker(external) === undefined) return release;
  // A platform that rejects the update must not prevent the deletion of the object.
  if (failure?.step === "update" && failure.problem.kind === "rejected") return release;
  return attempt(observed, {
    do: "update",
    uid: external.uid,
    body: { description: withoutMarker(external.description) },
    mask: ["description"],
    drift: [],
    correction: false,
  });
}

/**
 * The resource of this object although its uid was never recorded. A marker identifies it. An equal role binding without
 * one is ours only if this process may have created it, or if the object may have adopted it before this process led.
 */
function unrecordedMatch({ matches, resource, kind, state, postedHere }: DecisionInput): ExternalResource | undefined {
  if (kind.hasMarker || postedHere) return matches[0];
  return state.bornHere || resource.spec.policy.adoption === "Never" ? undefined : matches[0];
}

/** Other objects refer to this one and have external resources, which go first. */
function findDependents(observed: DecisionInput): Problem | undefined {
  const { dependents, unreadDependents } = observed;
  if (unreadDependents.length > 0) return waiting("KubernetesForbidden", messages.dependentsUnknown(unreadDependents));
  if (dependents.length === 0) return undefined;
  return {
    ...waiting("ChildrenExist", messages.dependentsExist(dependents.map(({ name }) => name))),
    statusDelayMs: dependents.every(({ deleting }) => deleting) ? maxStatusDelayMs : statusDelayAmidDeletions(observed),
  };
}

/** The equal resources that remain after `uid` is deleted. */
function equalTo({ kind, matches }: DecisionInput, uid: string): readonly string[] {
  if (kind.hasMarker) return [];
  return matches.flatMap((match) => (match.uid === uid ? [] : [match.uid]));
}

function orphaned({ kind }: DecisionInput, uid: string | undefined, why: string): Event {
  return { type: "Normal", reason: "Orphaned", note: messages.orphaned(kind.noun, uid, why) };
}
