import { hasFinalizer } from "#src/api/custom-resource.ts";
import { proveAbsenceBelowRoots } from "./absence.ts";
import { abandon, abandonLost, awaitReferences, readSecretToDelete } from "./issue-ending.ts";
import { leftBecause } from "./issue-messages.ts";
import { isOnlyHeld, issuesCode, isUnidentified } from "./issued.ts";
import { conclude, maxStatusDelayMs, statusDelayAmidDeletions, statusDelayMs } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { endsByExpiry } from "./expiry.ts";
import { isStale, readBeforeEnding } from "./freshness.ts";
import { decideHandover } from "./handover.ts";
import { rootAbove } from "./location.ts";
import * as deletionMessages from "./deletion-messages.ts";
import * as kubernetesMessages from "./kubernetes-messages.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import * as tenancyMessages from "./tenancy-messages.ts";
import { isAbandoned, isPaused } from "./object.ts";
import { type Problem, stalled, waiting } from "./outcome.ts";
import { managedUid, managementOf, owns, protectionOf } from "./ownership.ts";
import { decidePeople } from "./people.ts";
import { decideRelease, orphaned } from "./release.ts";
import { attempt } from "./retry.ts";
import type { Step } from "./step.ts";
import { findEndingDenied, findOrphanDenied, findUngoverned } from "./tenant.ts";
import { identityRead } from "./unknown-identity.ts";
import { unreadKind } from "./unread-kind.ts";
import {
  awaitMeaning,
  decideUnpermitted,
  guardsNothing,
  proveNotCreatedAgain,
  removeUnrecorded,
  uidToEnd,
} from "./unrecorded.ts";
import type { Dependent, ExternalResource } from "#src/reconcile/observe/observed.ts";

/**
 * The step for an object that is being deleted. Deletion uses the recorded uid and does not need the references. The
 * finalizer is removed without an external change if nothing was created, if the resource is not ours, or if it stays. To
 * name a uid in the spec does not make it ours.
 */
export function decideDeletion(observed: DecisionInput): Step {
  const { resource, claim } = observed;
  if (!hasFinalizer(resource)) return { do: "done" };
  if (isAbandoned(resource))
    return { do: "removeFinalizer", event: orphaned(observed, claim?.uid, deletionMessages.orphanedBecause.abandoned) };
  if (isPaused(resource) && !endsByExpiry(observed)) return conclude(observed, { is: "paused" });
  const read = issuesCode(observed) ? readSecretToDelete(observed) : undefined;
  if (read !== undefined) return read;
  if (guardsNothing(observed)) return awaitUnrecordedDependents(observed) ?? removeUnrecorded(observed);
  const ungoverned = findUngoverned(observed);
  if (ungoverned !== undefined) return decideUnpermitted(observed, ungoverned);
  if (claim !== null && claim.claimedBy !== null) return leave(observed);
  const uid = uidToEnd(observed);
  if (uid === undefined) return decideNeverRecorded(observed);
  const root = rootAbove(observed, uid);
  if (root === undefined) return concludeOutside(observed, stalled("TenantDenied", tenancyMessages.outsideReach()));
  const denied = findEndingDenied(observed, uid);
  if (denied !== undefined) return concludeOutside(observed, denied);
  return decideKeptCode(observed) ?? decideRecorded(observed, uid, root);
}

/** The step for a code that nothing but this process has, of a resource that stays: it would be of no use to anybody. */
function decideKeptCode(observed: DecisionInput): Step | undefined {
  if (!issuesCode(observed)) return undefined;
  const stays = keptBecause(observed, undefined) !== undefined || findWaitsForPolicy(observed) !== undefined;
  return stays ? decideHandover(observed) : undefined;
}

/** The resource is where the object may not delete it. */
function concludeOutside(observed: DecisionInput, problem: Problem): Step {
  return issuesCode(observed) && isOnlyHeld(observed)
    ? abandon(observed, leftBecause.outside)
    : conclude(observed, problem);
}

/** No uid is recorded. The resource may exist nevertheless, created by a request whose response was lost. */
function decideNeverRecorded(observed: DecisionInput): Step {
  const { state, references, kind } = observed;
  if (state.posted !== undefined || references.are === "resolved")
    return (
      proveAbsenceBelowRoots(observed) ??
      // No list shows which of several equal resources has a code that nobody knows.
      (issuesCode(observed) ? abandonLost(observed) : removeUnrecorded(observed))
    );
  if (references.are === "unread") return attempt(observed, { do: "refreshPermissions" });
  const unknown = awaitMeaning(observed);
  if (unknown !== undefined) return unknown;
  // A marker is found in any group. A resource without one is identified by its fields, which are not known.
  const proof = kind.hasMarker ? proveAbsenceBelowRoots(observed) : undefined;
  if (proof !== undefined) return proof;
  if (references.are === "unreadKind") return conclude(observed, unreadKind(references));
  return decideUnpermitted(observed, stalled("TenantDenied", tenancyMessages.mayHaveBeenCreated(kind.noun)));
}

/** The resource of this object is `uid`, which lies below `root`. */
function decideRecorded(observed: DecisionInput, uid: string, root: string): Step {
  const { kind, claim, crd, state, matches } = observed;
  const external = claim?.uid === uid ? claim.external : ({ is: "unknown" } as const);
  const protection = protectionOf(observed, uid);
  if (protection === "root" || protection === "credential") return leave(observed);
  if (external.is === "gone") return proveNotCreatedAgain(observed) ?? { do: "removeFinalizer" };
  if (crd === null || crd.readAt < (state.deletionSeenAt ?? state.firstSeenAt)) return { do: "readCrd" };
  if (crd.deleting)
    return { do: "removeFinalizer", event: orphaned(observed, uid, deletionMessages.orphanedBecause.kindRemoved) };
  const mayBeGone = external.is === "stale" || isStale(observed, uid);
  const listed = mayBeGone ? undefined : matches.find((match) => match.uid === uid);
  const found = external.is === "present" ? external.resource : listed;
  const kept = keptBecause(observed, found);
  const waits = kept === undefined ? awaitDependents(observed) : awaitUnrecordedDependents(observed);
  if (waits !== undefined) return waits;
  const policy = findWaitsForPolicy(observed);
  if (policy !== undefined) return conclude(observed, policy);
  if (found === undefined)
    return attempt(
      observed,
      mayBeGone ? { do: "read", uid } : { do: "list", parent: root, startedAfter: 0, stable: false },
    );
  if (issuesCode(observed) && isUnidentified(observed)) return awaitReferences(observed);
  const outdated = readBeforeEnding(observed, uid, kept === undefined ? "delete" : "update");
  if (outdated !== undefined) return attempt(observed, outdated);
  if ((managedUid(observed) === uid || kind.issued !== null) && !owns(observed, found)) return leave(observed);
  const denied = findEndingDenied(observed, uid, found);
  if (denied !== undefined) return conclude(observed, denied);
  if (kept !== undefined) return decideRelease(observed, found, kept);
  const people = decidePeople(observed);
  if (people !== undefined) return people;
  const read = identityRead(observed, kind.identityOf(found));
  if (read !== undefined) return attempt(observed, read);
  return attempt(observed, {
    do: "delete",
    uid,
    event: {
      type: "Normal",
      reason: "Deleted",
      note: deletionMessages.deleted(kind.noun, uid, equalTo(observed, uid)),
    },
  });
}

/** Why the resource stays on the platform; undefined if it is deleted. */
function keptBecause(observed: DecisionInput, found: ExternalResource | undefined): string | undefined {
  const { resource, kind } = observed;
  const { deletion, management } = resource.spec.policy;
  if (endsByExpiry(observed)) return undefined;
  if (deletion === "Orphan") return deletionMessages.orphanedBecause.policy;
  if (management === "Observe") return deletionMessages.orphanedBecause.observed;
  // A grant always ends with its object.
  if (deletion !== undefined || !kind.hasMarker) return undefined;
  // What was created in place of an adopted resource that is gone was not adopted, whatever the status still records.
  const recorded = found === undefined ? resource.status?.management : managementOf(observed, found);
  return recorded === "Adopted" ? deletionMessages.orphanedBecause.adopted : undefined;
}

/** The policy does not let the deletion continue, or the Tenant does not allow what it says. */
function findWaitsForPolicy(observed: DecisionInput): Problem | undefined {
  const { resource, kind } = observed;
  const { deletion, management } = resource.spec.policy;
  if (endsByExpiry(observed)) return undefined;
  if (deletion === "Protect") return stalled("Protected", deletionMessages.deletionProtected(kind.noun));
  if (deletion === "Orphan") return findOrphanDenied(observed, "spec.policy.deletion: Orphan");
  if (management === "Observe") return findOrphanDenied(observed, "spec.policy.management: Observe");
  return undefined;
}

/** The resource stays as it is. */
function leave(observed: DecisionInput): Step {
  return awaitUnrecordedDependents(observed) ?? { do: "removeFinalizer" };
}

/** The step while other objects refer to this one and have external resources, which go first. */
function awaitDependents(observed: DecisionInput): Step | undefined {
  return concludeDependents(
    observed,
    observed.dependents.filter(({ has }) => has !== "unrecorded"),
  );
}

/**
 * The step while other objects need this one to find what they may have created. What stays on the platform waits for no
 * others.
 */
function awaitUnrecordedDependents(observed: DecisionInput): Step | undefined {
  const { dependents, now, settledAt } = observed;
  const unrecorded = dependents.filter(({ has }) => has !== "recorded");
  const { kind, unlisted } = dependents.find((one) => one.unlisted !== undefined) ?? {};
  if (kind !== undefined && unlisted !== undefined && now >= settledAt)
    return attempt(observed, { do: "list", kind, parent: unlisted, startedAfter: settledAt, stable: false });
  return concludeDependents(observed, unrecorded);
}

function concludeDependents(observed: DecisionInput, dependents: readonly Dependent[]): Step | undefined {
  const { unreadDependents, now, settleMs, resource } = observed;
  if (unreadDependents.length > 0)
    return conclude(observed, waiting("KubernetesForbidden", kubernetesMessages.dependentsUnknown(unreadDependents)));
  if (dependents.length === 0) return undefined;
  const { namespace } = resource.metadata;
  const names = new Set(dependents.map(({ kind, key }) => ownershipMessages.otherObject(kind, namespace, key)));
  const problem: Problem = {
    ...waiting("ChildrenExist", deletionMessages.dependentsExist([...names])),
    statusDelayMs: dependents.every(({ deleting }) => deleting) ? maxStatusDelayMs : statusDelayAmidDeletions(observed),
  };
  // A dependent whose POST is settled without effect causes no change that could be observed: look again.
  const isUnsettled = dependents.some(({ has }) => has !== "recorded");
  return conclude(observed, problem, isUnsettled ? now + Math.max(settleMs, statusDelayMs) : undefined);
}

/** The equal resources that remain after `uid` is deleted. */
function equalTo({ kind, matches }: DecisionInput, uid: string): readonly string[] {
  if (kind.hasMarker) return [];
  return matches.flatMap((match) => (match.uid === uid ? [] : [match.uid]));
}
