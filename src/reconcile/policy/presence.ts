import { hasFinalizer } from "#src/api/custom-resource.ts";
import { readyCondition } from "#src/api/condition.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import { takenName, wantedName } from "#src/kinds/unique-name.ts";
import type { Claim, ExternalResource } from "#src/reconcile/observe/observed.ts";
import { ownDuplicateOf, proveAbsenceBelow, proveListedSince } from "./absence.ts";
import { decideAdoption } from "./adoption.ts";
import { conclude, statusDelayAmidDeletions, statusDelayMs } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { creationBody } from "./differences.ts";
import { decideFields } from "./drift.ts";
import { decideExpiry, grantExpiry } from "./expiry.ts";
import { isStale, listBeforeNaming, readBeforeEnding } from "./freshness.ts";
import { groupOf, rootAbove } from "./location.ts";
import { decideHandover } from "./handover.ts";
import { decideIssue } from "./issue.ts";
import { issuesCode } from "./issued.ts";
import * as messages from "./messages.ts";
import * as absenceMessages from "./absence-messages.ts";
import * as deletionMessages from "./deletion-messages.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { isEdited, isPaused } from "./object.ts";
import { decideObservation } from "./observation.ts";
import { failing, type Problem, stalled, waiting } from "./outcome.ts";
import {
  equalsSpec,
  findForeignMarker,
  findNameAmbiguous,
  findNameManagedByOther,
  findNameNotAdopted,
  findNameTaken,
  findOtherClaimant,
  findProtected,
  findRival,
  managedUid,
  managementOf,
  owns,
  recordedKey,
} from "./ownership.ts";
import { isPlaced, type Placed, type Resolved } from "./placed.ts";
import { recordOf } from "./recorded.ts";
import { attempt, stalledDelayMs, wasReady } from "./retry.ts";
import { concludeUnusableSecret, readSecretFirst, secretForCreation } from "./secret.ts";
import type { Event, Step } from "./step.ts";
import { findEndingDenied, findOnlyDeletions, findOutsideTenant, findUngoverned } from "./tenant.ts";
import { decideRemoval } from "./undeclared.ts";
import { unreadKind } from "./unread-kind.ts";
import { identityRead } from "./unknown-identity.ts";
import { guardsNothing, recheckUnrecordedAt, removeUnrecorded } from "./unrecorded.ts";

/**
 * The step for an object that is not being deleted. Where several checks follow one another, the first problem that is
 * found is reported, and nothing after it is done.
 */
export function decidePresence(observed: DecisionInput): Step {
  const { resource, references } = observed;
  // At once: after an edit, nothing would show any longer that the object has only observed.
  if (hasFinalizer(resource) && !mayHaveManaged(resource) && !isPaused(resource)) return { do: "removeFinalizer" };
  const expiry = decideExpiry(observed);
  if (expiry !== undefined) return expiry;
  if (isPaused(resource)) return conclude(observed, { is: "paused" });
  if (observed.invalid !== null)
    return conclude(observed, stalled("InvalidSpec", messages.invalidSpec(observed.invalid, grantExpiry(observed))));
  const ungoverned = findUngoverned(observed) ?? findOnlyDeletions(observed);
  if (ungoverned !== undefined) return decideIdle(observed, ungoverned);
  const handover = issuesCode(observed) ? decideHandover(observed) : undefined;
  if (handover !== undefined) return handover;
  switch (references.are) {
    case "unread":
      return attempt(observed, { do: "refreshPermissions" });
    case "unreadKind":
      return wasReady(observed)
        ? { do: "wait", until: observed.now + stalledDelayMs }
        : conclude(observed, unreadKind(references));
    case "waiting":
      return conclude(observed, {
        ...waiting(references.reason, references.message),
        statusDelayMs: references.deleting === true ? statusDelayAmidDeletions(observed) : statusDelayMs,
      });
    case "denied":
      return decideIdle(observed, stalled("TenantDenied", references.message));
    case "invalid":
      return conclude(observed, stalled("InvalidSpec", references.message));
    case "resolved":
      return resource.spec.policy.management === "Observe"
        ? decideObservation(observed, references)
        : decideManagement(observed, references);
  }
}

/** No Tenant permits the object. Its finalizer stays only while something may exist because of the object. */
function decideIdle(observed: DecisionInput, problem: Problem): Step {
  return guardsNothing(observed)
    ? removeUnrecorded(observed)
    : conclude(observed, problem, recheckUnrecordedAt(observed));
}

function decideManagement(observed: DecisionInput, references: Resolved): Step {
  // The schema requires a parent of every object that manages.
  if (!isPlaced(references)) return conclude(observed, stalled("InvalidSpec", messages.withoutParent()));
  if (issuesCode(observed)) return decideIssue(observed, references);
  const { claim } = observed;
  // In this order: whether another object manages a resource elsewhere is not disclosed.
  const problem =
    (claim === null ? undefined : findUidNotBelowParent(observed, references, claim)) ?? findOtherClaimant(observed);
  if (problem !== undefined) return conclude(observed, problem);
  return claim === null ? decideUnclaimed(observed, references) : decideClaimed(observed, references, claim);
}

/** The object claims a uid, by its spec or by its status. */
function decideClaimed(observed: DecisionInput, references: Placed, claim: Claim): Step {
  const { uid, external } = claim;
  const problem = findMovedOutOfReach(observed, references, claim) ?? findGoneWithManyOthers(observed, claim);
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
      return decideGone(observed, references, claim, external.at);
    case "present": {
      if (!observed.kind.hasMarker) return decideGrant(observed, references, external);
      const moved = findParentChanged(observed, references, claim);
      if (moved !== undefined) return conclude(observed, moved);
      return readIfRequested(observed, external) ?? decideExisting(observed, references, external.resource);
    }
  }
}

type Present = Extract<Claim["external"], { is: "present" }>;

function readIfRequested(observed: DecisionInput, { resource, seenAt }: Present): Step | undefined {
  const { request } = observed;
  if (request === null || seenAt >= request.seenAt) return undefined;
  return attempt(observed, { do: "read", uid: resource.uid });
}

/** The claimed resource is identified by its fields (a role binding). It is never changed: another grant is another resource. */
function decideGrant(observed: DecisionInput, references: Placed, external: Present): Step {
  const { resource } = external;
  const read = readIfRequested(observed, external);
  if (read !== undefined) return read;
  if (equalsSpec(observed, references, resource)) return decideExisting(observed, references, resource);
  if (owns(observed, resource)) return decideOutdatedGrant(observed, resource);
  const problem = findGrantDiffers(observed, resource) ?? findGrantChangedOutside(observed, resource);
  // What the recorded binding grants was changed outside of Kubernetes: it is another grant now, which is not ours.
  return problem === undefined ? decideUnclaimed(observed, references) : conclude(observed, problem);
}

/** A reference resolves to another uid now. The grant to the old one ends before the new one begins. */
function decideOutdatedGrant(observed: DecisionInput, external: ExternalResource): Step {
  const outdated = readBeforeEnding(observed, external.uid);
  if (outdated !== undefined) return attempt(observed, outdated);
  const problem = findProtected(observed, external) ?? findEndingDenied(observed, external.uid, external);
  if (problem !== undefined) return conclude(observed, problem);
  const read = identityRead(observed, observed.kind.identityOf(external));
  if (read !== undefined) return attempt(observed, read);
  const note = deletionMessages.outdatedDeleted(observed.kind.noun, external.uid);
  return attempt(observed, {
    do: "delete",
    uid: external.uid,
    event: { type: "Normal", reason: "Deleted", note },
  });
}

/** The external resource is proven to be gone since `goneAt`. */
function decideGone(observed: DecisionInput, references: Placed, claim: Claim, goneAt: number): Step {
  const problem = findGoneByUid(observed, claim) ?? findGoneReported(observed, references, claim.uid);
  if (problem !== undefined) return conclude(observed, problem);
  return assessLoss(observed, claim.uid, goneAt) ?? decideUnclaimed(observed, references);
}

/** The breaker assesses each list of a root. Nothing is re-created before a list that shows how much is gone. */
function assessLoss(observed: DecisionInput, uid: string, goneAt: number): Step | undefined {
  const root = rootAbove(observed, uid);
  const scope = observed.rootSnapshots.find(({ group }) => group === root);
  if (root === undefined || (scope?.snapshot?.startedAt ?? -1) >= goneAt) return undefined;
  return attempt(observed, { do: "list", parent: root, startedAfter: goneAt, stable: false });
}

/** The object has no external resource that we know of: find it, adopt it, or create it. */
function decideUnclaimed(observed: DecisionInput, references: Placed): Step {
  const { resource, kind } = observed;
  const lost = managedUid(observed) === undefined ? findLossReported(observed) : undefined;
  if (lost !== undefined) return conclude(observed, lost);
  const match = matchOf(observed, references);
  // A marker says whose a resource is. Everything else goes to one of those that want it.
  const rival = match !== undefined && kind.hasMarker ? undefined : findRival(observed);
  if (rival !== undefined) return conclude(observed, rival);
  if (match !== undefined) return readStale(observed, [match]) ?? decideExisting(observed, references, match);
  const { uids, desired, naturalKey } = references;
  const proof = proveAbsenceBelow(observed, uids.parent);
  if (proof !== undefined) return proof;
  const [conflict] = observed.nameConflicts;
  if (conflict !== undefined) {
    const relist = proveListedSince(observed, uids.parent, observed.state.specSeenAt) ?? readStaleConflict(observed);
    if (relist !== undefined) return relist;
    const problem = findNameManagedByOther(observed) ?? findNameNotAdopted(observed) ?? findNameAmbiguous(observed);
    return problem === undefined
      ? decideExisting(observed, references, conflict.external)
      : conclude(observed, problem);
  }
  const read = identityRead(observed, uids.identity);
  if (read !== undefined) return attempt(observed, read);
  if (observed.roleToRead !== null) return attempt(observed, { do: "readRole", role: observed.roleToRead });
  const given = secretForCreation(observed);
  if ("step" in given) return given.step;
  const list = listBeforeNaming(observed, uids.parent, "create");
  if (list !== undefined) return attempt(observed, list);
  if (!hasFinalizer(resource)) return { do: "addFinalizer" };
  return attempt(observed, {
    do: "create",
    parent: uids.parent,
    body: creationBody(observed, desired),
    naturalKey,
    ...given,
    event: { type: "Normal", reason: "Created", note: messages.created(kind.noun, uids.parent) },
  });
}

/** The step that reads one of `found` that may be gone: a DELETE of it may be under way, or may have taken effect. */
function readStale(observed: DecisionInput, found: readonly ExternalResource[]): Step | undefined {
  const stale = found.find(({ uid }) => isStale(observed, uid));
  return stale === undefined ? undefined : attempt(observed, { do: "read", uid: stale.uid });
}

/** The step that reads a resource which may not have the desired name any longer. */
function readStaleConflict(observed: DecisionInput): Step | undefined {
  return readStale(
    observed,
    observed.nameConflicts.map(({ external }) => external),
  );
}

/** The resource that carries our marker, or that equals the spec of a kind without markers. */
function matchOf(observed: DecisionInput, references: Placed): ExternalResource | undefined {
  const { matches, createdHere, kind } = observed;
  const own = kind.hasMarker ? matches : matches.filter((match) => equalsSpec(observed, references, match));
  return own.find(({ uid }) => createdHere.includes(uid)) ?? own[0];
}

/** `external` is the resource of this object, or the one to adopt. Nothing is written before it is known to be ours. */
function decideExisting(observed: DecisionInput, references: Placed, external: ExternalResource): Step {
  const problem =
    findProtected(observed, external) ??
    findForeignMarker(observed, external) ??
    findOutsideTenant(observed, external.uid);
  if (problem !== undefined) return conclude(observed, problem);
  const adoption = isCreatedHere(observed, references, external)
    ? undefined
    : decideAdoption(observed, references, external);
  if (adoption !== undefined) return adoption;
  if (!hasFinalizer(observed.resource)) return { do: "addFinalizer" };
  return (
    deleteDuplicate(observed, external) ??
    decideName(observed, references, external) ??
    readSecretFirst(observed) ??
    decideFields(observed, references.desired, external) ??
    concludeUnusableSecret(observed) ??
    decideRemoval(observed) ??
    concludeReady(observed, references, external)
  );
}

/** Whether a POST of this process for this object created `external`, which carries no marker. */
function isCreatedHere(
  { kind, state, resource }: DecisionInput,
  { naturalKey }: Placed,
  { uid }: ExternalResource,
): boolean {
  return !kind.hasMarker && resource.status?.uid !== uid && state.posted?.naturalKey === naturalKey;
}

function deleteDuplicate(observed: DecisionInput, kept: ExternalResource): Step | undefined {
  const duplicate = ownDuplicateOf(observed, kept);
  if (duplicate === undefined) return undefined;
  const outdated = readBeforeEnding(observed, duplicate.uid);
  if (outdated !== undefined) return attempt(observed, outdated);
  const note = deletionMessages.duplicateDeleted(observed.kind.noun, duplicate.uid, kept.uid);
  return attempt(observed, {
    do: "delete",
    uid: duplicate.uid,
    event: { type: "Normal", reason: "Deleted", note },
  });
}

/** A resource is renamed only to a unique name that a fresh list shows to be free, and that no other object comes first for. */
function decideName(observed: DecisionInput, references: Placed, external: ExternalResource): Step | undefined {
  const { kind, resource, state, nameConflicts } = observed;
  const name = wantedName(kind, resource);
  if (name === undefined || name === takenName(kind, external)) return undefined;
  const { parent } = references.uids;
  if (nameConflicts.length === 0) {
    const list = listBeforeNaming(observed, parent, "update");
    if (list !== undefined) return attempt(observed, list);
  } else {
    // Only a complete list shows that what had the name is gone.
    const relist = proveListedSince(observed, parent, state.specSeenAt) ?? readStaleConflict(observed);
    if (relist !== undefined) return relist;
  }
  const problem = findNameManagedByOther(observed) ?? findNameTaken(observed) ?? findRival(observed);
  return problem === undefined ? undefined : conclude(observed, problem);
}

function concludeReady(observed: DecisionInput, references: Placed, external: ExternalResource): Step {
  const { resource, kind } = observed;
  const { uid } = external;
  const isAdopted = kind.hasMarker
    ? managementOf(observed, external) === "Adopted"
    : managedUid(observed) === uid
      ? resource.status?.management === "Adopted"
      : !isCreatedHere(observed, references, external);
  const isNew =
    managedUid(observed) !== uid ||
    resource.status?.lastSyncTime === undefined ||
    readyCondition(resource)?.reason === "Updating";
  const adopted: Event | undefined =
    isAdopted && isNew
      ? { type: "Normal", reason: "Adopted", note: ownershipMessages.adopted(kind.noun, uid) }
      : undefined;
  const recorded = recordOf(references.uids, external, isAdopted ? "Adopted" : "Created");
  return conclude(observed, { is: "ready", recorded }, undefined, adopted);
}

// Checks. Each is named after the problem that it finds.

/** `spec.uid` names a resource below another group than the one that the spec names. */
function findUidNotBelowParent(observed: DecisionInput, references: Placed, { uid }: Claim): Problem | undefined {
  if (observed.resource.spec.uid !== uid || !isElsewhere(observed, references, uid)) return undefined;
  return stalled("InvalidSpec", ownershipMessages.uidNotBelowParent(observed.kind.noun, uid, references.uids.parent));
}

/** The resource is below a previous parent, where the operator may not look, so that its absence cannot be proven. */
function findMovedOutOfReach(observed: DecisionInput, references: Placed, claim: Claim): Problem | undefined {
  if (!isElsewhere(observed, references, claim.uid) || rootAbove(observed, claim.uid) !== undefined) return undefined;
  return findParentChanged(observed, references, claim);
}

/** The resource still exists below a previous parent. */
function findParentChanged(observed: DecisionInput, references: Placed, { uid }: Claim): Problem | undefined {
  if (!isElsewhere(observed, references, uid)) return undefined;
  return stalled("ParentChanged", ownershipMessages.parentChanged(observed.kind.noun, uid, references.uids.parent));
}

function isElsewhere(observed: DecisionInput, { uids }: Placed, uid: string): boolean {
  return groupOf(observed, uid) !== uids.parent;
}

/** `spec.uid` names a role binding that grants something else than the spec. */
function findGrantDiffers({ resource, kind }: DecisionInput, { uid }: ExternalResource): Problem | undefined {
  if (resource.spec.uid === undefined) return undefined;
  return stalled("InvalidSpec", ownershipMessages.grantDiffers(kind.noun, uid));
}

/** The recorded role binding was changed on the platform, and the spec says that drift is reported and not corrected. */
function findGrantChangedOutside(
  { resource, kind, request }: DecisionInput,
  { uid }: ExternalResource,
): Problem | undefined {
  if (resource.spec.policy.drift !== "Report" || request !== null) return undefined;
  return failing("DriftDetected", ownershipMessages.grantChangedOutside(kind.noun, uid));
}

/** The breaker is open: many resources are missing, and to re-create them would probably be wrong. */
function findGoneWithManyOthers({ kind }: DecisionInput, { uid, external, heldByBreaker }: Claim): Problem | undefined {
  if (!heldByBreaker || (external.is !== "stale" && external.is !== "gone")) return undefined;
  return failing("HeldByBreaker", absenceMessages.goneWithManyOthers(kind.noun, uid));
}

/** The resource that `spec.uid` names is gone; another one would have another uid. */
function findGoneByUid({ resource, kind }: DecisionInput, { uid }: Claim): Problem | undefined {
  if (resource.spec.uid === undefined) return undefined;
  return { ...stalled("ExternalGone", absenceMessages.goneByUid(kind.noun, uid)), recorded: "cleared" };
}

/** The spec says that drift, deletion included, is reported and not corrected, and nobody requested a reconcile. */
function findGoneReported(observed: DecisionInput, references: Placed, uid: string): Problem | undefined {
  // Without a marker: the grant to an earlier uid of a reference was deleted by us, not by others.
  if (!observed.kind.hasMarker && recordedKey(observed) !== references.naturalKey) return undefined;
  if (!reportsLoss(observed)) return undefined;
  return { ...failing("ExternalGone", absenceMessages.goneReported(observed.kind.noun, uid)), recorded: "cleared" };
}

/** As before, after the uid was cleared from the status. What is left of it is how it was managed. */
function findLossReported(observed: DecisionInput): Problem | undefined {
  const { status } = observed.resource;
  if (!reportsLoss(observed) || status?.management === undefined || status.management === "Observed") return undefined;
  return failing("ExternalGone", absenceMessages.goneReported(observed.kind.noun));
}

function reportsLoss({ resource, request }: DecisionInput): boolean {
  return resource.spec.policy.drift === "Report" && request === null;
}
