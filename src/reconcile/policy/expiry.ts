import { readyCondition } from "#src/api/condition.ts";
import { type Expiry, expiryOf } from "#src/kinds/expiry.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import { conclude } from "./conclude.ts";
import { proveAbsenceBelowRoots } from "./absence.ts";
import type { DecisionInput } from "./decision-input.ts";
import { isStale, readBeforeEnding } from "./freshness.ts";
import { rootAbove } from "./location.ts";
import { readSecretToExpire } from "./issue-ending.ts";
import { issueExpired } from "./issue-messages.ts";
import { issuesCode, isUnidentified } from "./issued.ts";
import * as expiryMessages from "./expiry-messages.ts";
import { type Problem, stalled } from "./outcome.ts";
import { managedUid, owns, protectionOf } from "./ownership.ts";
import { attempt } from "./retry.ts";
import { statusPatch } from "./status.ts";
import { isPlatformStep, noLaterThan, type PlatformStep, type Step } from "./step.ts";
import * as tenancyMessages from "./tenancy-messages.ts";
import { findEndingDenied, findOrphanDenied, findUngoverned } from "./tenant.ts";
import { hours } from "#src/time/durations.ts";
import { identityRead } from "./unknown-identity.ts";
import { orphanedUnproven } from "./release.ts";
import { leftUnproven, proveNotCreatedAgain, recheckUnrecordedAt, uidToEnd } from "./unrecorded.ts";

/** No timer runs longer. */
const maxTimerMs = hours(24);

/**
 * The step for an object whose `expiresAt` has passed; undefined otherwise. The object stops being Ready first, even while
 * the platform is away; then the resource is deleted, whoever created it; then its uid is cleared. A deletion that was
 * begun is completed, even if `expiresAt` was extended meanwhile. Neither a pause nor an invalid spec extends a grant.
 */
export function decideExpiry(observed: DecisionInput): Step | undefined {
  const { resource, kind, invalid } = observed;
  const reported = readyCondition(resource)?.reason === "Expired";
  const expired = hasExpired(observed);
  const uid = expired ? uidToEnd(observed) : managedUid(observed);
  if (!expired && !(reported && uid !== undefined)) return undefined;
  // What an invalid spec describes is not known, and nothing is created for it.
  if (invalid !== null && uid === undefined) return undefined;
  const ending = stalled("Expired", expiryMessages.expiring(kind.noun, expiryOf(observed)));
  // What issues a code is never created again, whatever a clock says later.
  const left = uid === undefined ? leftUnproven(observed) : undefined;
  const ended: Problem =
    kind.issued === null
      ? { ...stalled("Expired", left ?? expiryMessages.expired(kind.noun)), recorded: "forgotten" }
      : { ...stalled("Expired", issueExpired(kind.noun)), recorded: "ended" };
  if (onlyObserves(observed)) return conclude(observed, stalled("Expired", expiryMessages.expired(kind.noun)));
  if (uid === undefined) {
    const isReported = statusPatch(observed, ended) === undefined;
    const read = issuesCode(observed) && !isReported ? readSecretToExpire(observed, ending) : undefined;
    if (read !== undefined) return read;
    // To read the roles comes first: without them, nothing is looked for.
    const recheckAt = observed.references.are === "unread" ? undefined : recheckUnrecordedAt(observed);
    if (recheckAt !== undefined)
      return conclude(observed, stalled("Expired", expiryMessages.expiredUnpermitted(kind.noun)), recheckAt);
    // It was reported as ended only after that was proven.
    const proof = isReported ? undefined : proveEnded(observed, ending);
    return proof ?? conclude(observed, ended, undefined, left === undefined ? undefined : orphanedUnproven(left));
  }
  if (!reported) return conclude(observed, ending);
  return decideEnding(observed, uid, ending, ended);
}

/** The step that is missing before it is proven that no process created a resource whose uid was not recorded. */
function proveEnded(observed: DecisionInput, ending: Problem): Step | undefined {
  const { resource, state, tenant, references, now } = observed;
  const { failure } = state;
  const isUnread = references.are === "unread";
  const mayExist =
    state.posted !== undefined ||
    (!state.bornHere && mayHaveManaged(resource) && (references.are === "resolved" || isUnread));
  if (!mayExist || resource.status?.uid !== undefined || tenant.is !== "known") return undefined;
  const proof = isUnread ? attempt(observed, { do: "refreshPermissions" }) : proveAbsenceBelowRoots(observed, ending);
  // A failure that delays nothing any longer, such as that of the POST itself, is not what the proof waits for.
  if (proof === undefined || isPlatformStep(proof) || failure === undefined || failure.retryAt <= now) return proof;
  return conclude(observed, ending, failure.retryAt);
}

/** The resource `uid` is to be deleted, and the object is reported as `ending` until it is `ended`. */
function decideEnding(observed: DecisionInput, uid: string, ending: Problem, ended: Problem): Step {
  const { claim, matches, kind } = observed;
  const external = claim?.uid === uid ? claim.external : undefined;
  const root = rootAbove(observed, uid);
  const protection = protectionOf(observed, uid);
  if (protection === "root" || protection === "credential") return conclude(observed, ended);
  // It belongs to another object, which may be Ready because of it.
  if (claim?.uid === uid && claim.claimedBy !== null) return conclude(observed, ended);
  if (external?.is === "gone") return proveNotCreatedAgain(observed, ending) ?? conclude(observed, ended);
  const denied = findUngoverned(observed) ?? findEndingDenied(observed, uid);
  if (denied !== undefined) return concludeDenied(observed, denied.message);
  if (root === undefined) return concludeDenied(observed, tenancyMessages.outsideReach());
  const call = (step: PlatformStep): Step => {
    const next = attempt(observed, step);
    return isPlatformStep(next) ? next : conclude(observed, ending, observed.state.failure?.retryAt);
  };
  const found = external?.is === "present" ? external.resource : matches.find((match) => match.uid === uid);
  if (external?.is === "stale" || isStale(observed, uid)) return call({ do: "read", uid });
  if (found === undefined) return call({ do: "list", parent: root, startedAfter: 0, stable: false });
  if (issuesCode(observed) && isUnidentified(observed)) return conclude(observed, ending);
  const outdated = readBeforeEnding(observed, uid);
  if (outdated !== undefined) return call(outdated);
  if ((managedUid(observed) === uid || kind.issued !== null) && !owns(observed, found))
    return conclude(observed, ended);
  const unproven = findEndingDenied(observed, uid, found);
  if (unproven !== undefined) return concludeDenied(observed, unproven.message);
  const read = identityRead(observed, kind.identityOf(found));
  if (read !== undefined) return call(read);
  return call({
    do: "delete",
    uid,
    event: { type: "Normal", reason: "Deleted", note: expiryMessages.deletedExpired(kind.noun, uid) },
  });
}

/** Nothing but a change of a Tenant, or of the settings of the operator, lets the resource be deleted. */
function concludeDenied(observed: DecisionInput, because: string): Step {
  const { kind } = observed;
  return conclude(observed, stalled("Expired", expiryMessages.expiredDenied(kind.noun, expiryOf(observed), because)));
}

/**
 * Whether the grant of the object ends now. Nothing that delays or prevents a deletion keeps it: neither a pause nor
 * `policy.deletion`.
 */
export function endsByExpiry(observed: DecisionInput): boolean {
  return hasExpired(observed) && !onlyObserves(observed);
}

/**
 * Whether the object leaves its grant alone, because it says `Observe`. While an edit to `Observe` has not taken effect, because the
 * Tenant does not allow the grant to be left or the spec is invalid, the object still manages the grant that its status records.
 */
function onlyObserves(observed: DecisionInput): boolean {
  const { resource, invalid } = observed;
  if (resource.spec.policy.management !== "Observe") return false;
  if (managedUid(observed) === undefined) return true;
  return invalid === null && findOrphanDenied(observed, "spec.policy.management: Observe") === undefined;
}

/** When the grant that the status records ends; undefined if it records none, or one that does not end. */
export function grantExpiry(observed: DecisionInput): Expiry | undefined {
  return managedUid(observed) === undefined ? undefined : expiryOf(observed);
}

function hasExpired(observed: DecisionInput): boolean {
  const expiry = expiryOf(observed);
  return expiry !== undefined && expiry.at <= observed.wallClock;
}

/** `step`, or what it waits for, no later than the object expires. */
export function untilExpiry(observed: DecisionInput, step: Step): Step {
  const { wallClock, now } = observed;
  const expiry = expiryOf(observed);
  const expiresInMs = expiry === undefined ? 0 : expiry.at - wallClock;
  return expiresInMs <= 0 ? step : noLaterThan(step, now + Math.min(expiresInMs, maxTimerMs));
}
