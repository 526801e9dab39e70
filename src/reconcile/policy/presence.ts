import type { Claim, ExternalResource, References } from "#src/reconcile/observe/observed.ts";
import { ownDuplicateOf, proveAbsenceBelow } from "./absence.ts";
import { conclude, statusDelayAmidDeletions, statusDelayMs } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { creationBody } from "./differences.ts";
import { decideFields } from "./drift.ts";
import { groupOf, rootAbove } from "./location.ts";
import * as messages from "./messages.ts";
import { hasFinalizer, isEdited, isPaused } from "./object.ts";
import { failing, type Problem, stalled, waiting } from "./outcome.ts";
import {
  findCopiedMarker,
  findEqualNotAdopted,
  findForeignMarker,
  findNameAmbiguous,
  findNameManagedByOther,
  findNameNotAdopted,
  findOlderClaimant,
  findProtected,
} from "./ownership.ts";
import { attempt, stalledDelayMs, wasReady } from "./retry.ts";
import type { Event, Step } from "./step.ts";
import { decideRemoval } from "./undeclared.ts";
import { findUngoverned } from "./tenant.ts";

type Resolved = Extract<References, { are: "resolved" }>;

/**
 * The step for an object that is not being deleted. Where several checks follow one another, the first problem that is
 * found is reported, and nothing after it is done.
 */
export function decidePresence(observed: DecisionInput): Step {
  const { resource, references, claim } = observed;
  if (isPaused(resource)) return conclude(observed, { is: "paused" });
  if (observed.invalid !== null)
    return conclude(observed, stalled("InvalidSpec", messages.invalidSpec(observed.invalid)));
  const ungoverned = findUngoverned(observed);
  if (ungoverned !== undefined) return conclude(observed, ungoverned);
  switch (references.are) {
    case "unread":
      return attempt(observed, { do: "refreshPermissions" });
    case "unreadKind":
      return wasReady(observed)
        ? { do: "wait", until: observed.now + stalledDelayMs }
        : conclude(
            observed,
            waiting("ReferenceNotReady", messages.referencedKindUnread(references.path, references.kind)),
          );
    case "waiting":
      return conclude(observed, {
        ...waiting(references.reason, references.message),
        statusDelayMs: references.deleting === true ? statusDelayAmidDeletions(observed) : statusDelayMs,
      });
    case "denied":
      return conclude(observed, stalled("TenantDenied", references.message));
    case "invalid":
      return conclude(observed, stalled("InvalidSpec", references.message));
    case "resolved": {
      const problem = findOlderClaimant(observed);
      if (problem !== undefined) return conclude(observed, problem);
      return claim === null ? decideUnclaimed(observed, references) : decideClaimed(observed, references, claim);
    }
  }
}

/** The object claims a uid, by its spec or by its status. */
function decideClaimed(observed: DecisionInput, references: Resolved, claim: Claim): Step {
  const { uid, external } = claim;
  const problem =
    findUidNotBelowParent(observed, references, claim) ??
    findMovedOutOfReach(observed, references, claim) ??
    findGoneWithManyOthers(observed, claim);
  if (problem !== undefined) return conclude(observed, problem);
  switch (external.is) {
    case "unknown":
      // After a start, lists of everything serve most objects. An edit does not wait for them: one read serves it.
      return attempt(
        observed,
        isEdited(observed.resource)
          ? { do: "read", uid }
          : { do: "list", parent: groupOf(observed, uid), startedAfter: 0, stable: false },
      );
    case "stale":
      return attempt(observed, { do: "read", uid });
    case "gone":
      return decideGone(observed, references, claim);
    case "present": {
      const moved = findParentChanged(observed, references, claim);
      if (moved !== undefined) return conclude(observed, moved);
      const { request } = observed;
      if (request !== null && external.seenAt < request.seenAt) return attempt(observed, { do: "read", uid });
      return decideExisting(observed, references, external.resource);
    }
  }
}

/** The external resource is proven to be gone. */
function decideGone(observed: DecisionInput, references: Resolved, claim: Claim): Step {
  const problem = findGoneByUid(observed, claim) ?? findGoneReported(observed, claim);
  return problem === undefined ? decideUnclaimed(observed, references) : conclude(observed, problem);
}

/** The object has no external resource that we know of: find it, adopt it, or create it. */
function decideUnclaimed(observed: DecisionInput, references: Resolved): Step {
  const [match] = observed.matches;
  if (match !== undefined) {
    const problem = findEqualNotAdopted(observed, match);
    return problem === undefined ? decideExisting(observed, references, match) : conclude(observed, problem);
  }
  const { uids, desired, naturalKey } = references;
  const proof = proveAbsenceBelow(observed, uids.parent);
  if (proof !== undefined) return proof;
  const [conflict] = observed.nameConflicts;
  if (conflict !== undefined) {
    const problem = findNameManagedByOther(observed) ?? findNameNotAdopted(observed) ?? findNameAmbiguous(observed);
    return problem === undefined
      ? decideExisting(observed, references, conflict.external)
      : conclude(observed, problem);
  }
  if (!hasFinalizer(observed.resource)) return { do: "addFinalizer" };
  return attempt(observed, {
    do: "create",
    parent: uids.parent,
    body: creationBody(observed, desired),
    naturalKey,
    event: { type: "Normal", reason: "Created", note: messages.created(observed.kind.noun, uids.parent) },
  });
}

/** `external` is the resource of this object, or the one to adopt. Nothing is written before it is known to be ours. */
function decideExisting(observed: DecisionInput, references: Resolved, external: ExternalResource): Step {
  const problem = findProtected(observed, external) ?? findForeignMarker(observed, external);
  if (problem !== undefined) return conclude(observed, problem);
  if (!hasFinalizer(observed.resource)) return { do: "addFinalizer" };
  const copied = findCopiedMarker(observed, external);
  if (copied !== undefined) return conclude(observed, copied);
  return (
    deleteDuplicate(observed, external) ??
    decideFields(observed, references.desired, external) ??
    decideRemoval(observed) ??
    concludeReady(observed, references, external)
  );
}

function deleteDuplicate(observed: DecisionInput, kept: ExternalResource): Step | undefined {
  const duplicate = ownDuplicateOf(observed, kept);
  if (duplicate === undefined) return undefined;
  const note = messages.duplicateDeleted(observed.kind.noun, duplicate.uid, kept.uid);
  return attempt(observed, {
    do: "delete",
    uid: duplicate.uid,
    event: { type: "Normal", reason: "Deleted", note },
  });
}

function concludeReady(observed: DecisionInput, references: Resolved, { uid }: ExternalResource): Step {
  const { resource, kind, postedHere, matches } = observed;
  const isOurs =
    resource.status?.uid === uid || postedHere || (kind.hasMarker && matches.some((match) => match.uid === uid));
  const adopted: Event | undefined = isOurs
    ? undefined
    : { type: "Normal", reason: "Adopted", note: messages.adopted(kind.noun, uid) };
  return conclude(observed, { is: "ready", uid, parentUid: references.uids.parent }, undefined, adopted);
}

// Checks. Each is named after the problem that it finds.

/** `spec.uid` names a resource below another group than the one that the spec names. */
function findUidNotBelowParent(observed: DecisionInput, references: Resolved, { uid }: Claim): Problem | undefined {
  if (observed.resource.spec.uid !== uid || !isElsewhere(observed, references, uid)) return undefined;
  return stalled("InvalidSpec", messages.uidNotBelowParent(observed.kind.noun, uid, references.uids.parent));
}

/** The resource is below a previous parent, where the operator may not look, so that its absence cannot be proven. */
function findMovedOutOfReach(observed: DecisionInput, references: Resolved, claim: Claim): Problem | undefined {
  if (!isElsewhere(observed, references, claim.uid) || rootAbove(observed, claim.uid) !== undefined) return undefined;
  return findParentChanged(observed, references, claim);
}

/** The resource still exists below a previous parent. */
function findParentChanged(observed: DecisionInput, references: Resolved, { uid }: Claim): Problem | undefined {
  if (!isElsewhere(observed, references, uid)) return undefined;
  return stalled("ParentChanged", messages.parentChanged(observed.kind.noun, uid, references.uids.parent));
}

function isElsewhere(observed: DecisionInput, { uids }: Resolved, uid: string): boolean {
  return groupOf(observed, uid) !== uids.parent;
}

/** The breaker is open: many resources are missing, and to re-create them would probably be wrong. */
function findGoneWithManyOthers(
  { kind, request }: DecisionInput,
  { uid, external, heldByBreaker }: Claim,
): Problem | undefined {
  if (!heldByBreaker || request !== null || (external.is !== "stale" && external.is !== "gone")) return undefined;
  return failing("ExternalGone", messages.goneWithManyOthers(kind.noun, uid));
}

/** The resource that `spec.uid` names is gone; another one would have another uid. */
function findGoneByUid({ resource, kind }: DecisionInput, { uid }: Claim): Problem | undefined {
  if (resource.spec.uid === undefined) return undefined;
  return stalled("ExternalGone", messages.goneByUid(kind.noun, uid));
}

/** The spec says that drift, deletion included, is reported and not corrected. */
function findGoneReported({ resource, kind }: DecisionInput, { uid }: Claim): Problem | undefined {
  if (resource.spec.policy.drift !== "Report") return undefined;
  return failing("ExternalGone", messages.goneReported(kind.noun, uid));
}
