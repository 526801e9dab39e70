import { expiryOf } from "#src/kinds/expiry.ts";
import { wantedName } from "#src/kinds/unique-name.ts";
import type { ExternalResource, MonotonicTime } from "#src/reconcile/observe/observed.ts";
import { seconds } from "#src/time/durations.ts";
import { retryOf } from "./attempted.ts";
import type { DecisionInput } from "./decision-input.ts";
import { isBeingDeleted } from "./object.ts";
import type { PlatformStep } from "./step.ts";

/**
 * What a write is decided from. Lists are up to a resync old, and somebody else may have taken a resource since: another owner
 * put its marker on it, or a role binding became another grant.
 *
 * Guarantees: a DELETE, and a PATCH that gives a resource up, are decided from a read that started after the reason for them was
 * seen, and no more than `currentMs` ago. So is a PATCH, unless this process sent another one within that time, whose response
 * showed the resource: a burst of edits needs one read. A POST of a resource with a name, and a PATCH of the name, are decided
 * from a list of that name that started after this spec was seen, and no more than `currentMs` ago. What such a read shows is
 * judged as everything else that is observed. A write that is delayed, because it failed, reads nothing until it is made again: an
 * object that waits costs no calls, however often it is looked at.
 *
 * Caveats: what somebody changes between the start of the read and the arrival of the write is overwritten or deleted, and a
 * name that somebody takes meanwhile exists twice: the platform has no conditional writes. A singleton is not read here: the
 * session reads it before each write. A call that takes longer than `currentMs` is never current enough.
 */

/** For how long what was read is current enough to write what follows from it, if the object had to wait. */
export const currentMs = seconds(15);

/** The read that is missing before the resource is deleted, or given up with an update, because its object says so. */
export function readBeforeEnding(
  observed: DecisionInput,
  uid: string,
  write: "delete" | "update" = "delete",
): PlatformStep | undefined {
  return missingRead(observed, uid, write, Math.max(reasonSeenAt(observed), observed.now - currentMs));
}

/** The read that is missing before fields of the resource are changed. */
export function readBeforeUpdate(observed: DecisionInput, { uid }: ExternalResource): PlatformStep | undefined {
  const { state, now } = observed;
  const earliest = now - currentMs;
  const updatedAt = state.update?.at;
  const continues = updatedAt !== undefined && updatedAt >= earliest;
  return missingRead(observed, uid, "update", Math.max(continues ? updatedAt : state.specSeenAt, earliest));
}

/**
 * The list that is missing before a resource is created with a name of its own, or gets it: somebody else may have created one
 * with the name since the group was listed. A group that this process created within the settle time needs none.
 */
export function listBeforeNaming(
  observed: DecisionInput,
  parent: string,
  write: "create" | "update",
): PlatformStep | undefined {
  const { kind, resource, state, now, nameListedAt, parentCreatedAt, settleMs } = observed;
  const name = wantedName(kind, resource);
  // The platform does not accept a second singleton.
  if (name === undefined || kind.collection.uids.isSingleton || isDelayed(observed, write)) return undefined;
  if (parentCreatedAt !== null && now < parentCreatedAt + settleMs) return undefined;
  const startedAfter = Math.max(state.specSeenAt, now - currentMs);
  if (nameListedAt !== null && nameListedAt >= startedAfter) return undefined;
  return { do: "listNamed", parent, name, startedAfter };
}

/** Whether only a read shows if a resource that was found still exists: a DELETE of it may be under way, or have taken effect. */
export function isStale({ matches, nameConflicts, readTimes }: DecisionInput, uid: string): boolean {
  const found = [...matches, ...nameConflicts.map(({ external }) => external)];
  return found.some((one) => one.uid === uid) && !readTimes.some((read) => read.uid === uid);
}

/** The read of one of `found` that may be gone: a DELETE of it may be under way, or may have taken effect. */
export function readIfStale(observed: DecisionInput, found: readonly ExternalResource[]): PlatformStep | undefined {
  const stale = found.find(({ uid }) => isStale(observed, uid));
  return stale === undefined ? undefined : { do: "read", uid: stale.uid };
}

/** When it was first seen that the object is to end: that it is being deleted or has expired, or what it says now. */
function reasonSeenAt(observed: DecisionInput): MonotonicTime {
  const { resource, state, wallClock, now } = observed;
  if (isBeingDeleted(resource)) return state.deletionSeenAt ?? state.firstSeenAt;
  const expiry = expiryOf(observed);
  const expiredForMs = expiry === undefined ? -1 : wallClock - expiry.at;
  return Math.max(state.specSeenAt, expiredForMs >= 0 ? now - expiredForMs : 0);
}

function missingRead(
  observed: DecisionInput,
  uid: string,
  write: "delete" | "update",
  startedAfter: MonotonicTime,
): PlatformStep | undefined {
  const { kind, claim, readTimes } = observed;
  if (kind.collection.uids.isSingleton || isDelayed(observed, write)) return undefined;
  const external = claim?.uid === uid ? claim.external : undefined;
  const readAt = external?.is === "present" ? external.seenAt : readTimes.find((match) => match.uid === uid)?.at;
  return readAt !== undefined && readAt >= startedAfter ? undefined : { do: "read", uid, startedAfter };
}

/** Whether `attempt` does not let the write be made now. */
export function isDelayed(observed: DecisionInput, write: "create" | "update" | "delete"): boolean {
  return retryOf(observed, write) !== undefined;
}
