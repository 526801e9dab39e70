import { isDeepStrictEqual } from "node:util";
import { readyCondition } from "#src/api/condition.ts";
import { type Expiry, expiryOf } from "#src/kinds/expiry.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import { hours } from "#src/time/durations.ts";
import { proveAbsenceBelowRoots } from "./absence.ts";
import { check, part, type Phase, reports, where } from "./check.ts";
import { conclude } from "./conclude.ts";
import { type DecisionInput, rootAbove } from "./decision-input.ts";
import { asEnding, type Consequences, type Ending, endResource, isGone } from "./end-resource.ts";
import {
  deletedExpiredMessage,
  expiredDeniedMessage,
  expiredMessage,
  expiredUnpermittedMessage,
  expiringMessage,
} from "./expiry-messages.ts";
import { readSecretToExpire } from "./issue-ending.ts";
import { identificationOf } from "./identification-of.ts";
import { identifiedBy } from "./identified-by.ts";
import { type Problem, stalled } from "./outcome.ts";
import { managedUid, findProtected } from "./ownership.ts";
import { orphanedUnproven } from "./release.ts";
import { attempt } from "./retry.ts";
import { statusPatch } from "./status.ts";
import { isPlatformStep, noLaterThan, type Step } from "./step.ts";
import { findEndingDenied, findOrphanDenied, findUngoverned, outsideReachMessage } from "./tenant.ts";
import { leftUnproven, createdAgainUnproven, recheckUnrecordedAt, uidToEnd } from "./unrecorded.ts";

/** No timer runs longer. */
const maxTimerMs = hours(24);

/** An object whose grant has ended, or is ending. */
interface Expiring extends DecisionInput {
  /** That of the resource that ends; undefined if none is known. */
  readonly uid: string | undefined;
  /** What it reports until its resource is gone. */
  readonly ending: Problem;
  /** What it reports from then on. */
  readonly ended: Problem;
  /** What may stay because of it, as an event says it. */
  readonly left: string | undefined;
}

/** The object has no resource that is known. */
const unrecorded: Phase<Expiring> = [
  // It was reported as ended only after that was proven.
  where("the end is not reported yet", (observed) => !isReported(observed), [
    identifiedBy("secret", [
      check("secretUnread", "What the Secret with the code names is not known.", (observed) =>
        readSecretToExpire(observed, observed.ending),
      ),
    ]),
    // To read the roles comes first: without them, nothing is looked for.
    check("expiredUnpermitted", "A resource may have been created when a Tenant permitted the object.", (observed) => {
      const recheckAt = observed.references.are === "unread" ? undefined : recheckUnrecordedAt(observed);
      if (recheckAt === undefined) return undefined;
      const message = expiredUnpermittedMessage(observed.kind.noun);
      return conclude(observed, stalled("Expired", message), recheckAt);
    }),
    check("absenceUnproven", "That nothing was created for the object is not proven.", (observed) =>
      proveEnded(observed, observed.ending),
    ),
  ]),
  check("ended", "The grant has expired, and the object has no resource.", (observed) =>
    conclude(
      observed,
      observed.ended,
      undefined,
      observed.left === undefined ? undefined : orphanedUnproven(observed.left),
    ),
  ),
];

/** The object has a resource, and reports that its grant has expired. */
const expired: Phase<Expiring & Ending> = [
  check("protectedResource", "Muster never writes the resource.", (observed) =>
    findProtected(observed, observed) === undefined ? undefined : conclude(observed, observed.ended),
  ),
  // Another object may be Ready because of it.
  check("claimedByOther", "The uid belongs to another object.", (observed) =>
    observed.claim?.uid === observed.uid && observed.claim.claimedBy !== null
      ? conclude(observed, observed.ended)
      : undefined,
  ),
  where("the resource is gone", (observed) => isGone(observed), [
    createdAgainUnproven(({ ending }) => ending),
    check("ended", "The grant has expired, and the resource is gone.", (observed) =>
      conclude(observed, observed.ended),
    ),
  ]),
  check("endingDenied", "No Tenant governs the object, or the resource lies outside of its groups.", (observed) => {
    const problem = findUngoverned(observed) ?? findEndingDenied(observed, observed.uid);
    return problem === undefined ? undefined : concludeDenied(observed, problem);
  }),
  check("outsideReach", "The resource lies where the operator may not look.", (observed) =>
    rootAbove(observed, observed.uid) === undefined
      ? concludeDenied(observed, { message: outsideReachMessage() })
      : undefined,
  ),
  ...endResource,
];

/**
 * An object whose `expiresAt` has passed. The object stops being Ready first, even while
 * the platform is away; then the resource is deleted, whoever created it; then its uid is cleared. A deletion that was
 * begun is completed, even if `expiresAt` was extended meanwhile. Neither a pause nor an invalid spec extends a grant.
 */
export const expiring: Phase<Expiring> = [
  reports("expiredObserving", "The object only observes, and its grant has expired.", (observed) =>
    onlyObserves(observed) ? stalled("Expired", expiredMessage(observed.kind.noun)) : undefined,
  ),
  where("no resource is known", ({ uid }) => uid === undefined, unrecorded),
  reports("expired", "The object does not report yet that its grant has expired.", (observed) =>
    saysExpired(observed) ? undefined : observed.ending,
  ),
  part("it reports that", asEndingByExpiry, expired),
];

export function asExpiring(observed: DecisionInput): Expiring | undefined {
  const { kind, invalid } = observed;
  const uid = uidToExpire(observed);
  if (!hasExpired(observed) && !(saysExpired(observed) && uid !== undefined)) return undefined;
  // What an invalid spec describes is not known, and nothing is created for it.
  if (invalid !== null && uid === undefined) return undefined;
  const ending = stalled("Expired", expiringMessage(kind.noun, expiryOf(observed)));
  const left = uid === undefined ? leftUnproven(observed) : undefined;
  const ended = identificationOf(observed).ended(observed, left);
  return { ...observed, uid, ending, ended, left };
}

/** The uid of the resource that ends: an extended grant completes what was begun, and looks for nothing. */
function uidToExpire(observed: DecisionInput): string | undefined {
  return hasExpired(observed) ? uidToEnd(observed) : managedUid(observed);
}

function saysExpired({ resource }: DecisionInput): boolean {
  return readyCondition(resource)?.reason === "Expired";
}

/** Whether the status says that the grant has ended, whatever became of the references since. */
function isReported(observed: Expiring): boolean {
  const { conditions, ...others } = statusPatch(observed, observed.ended) ?? {};
  const isSaid =
    conditions === undefined ||
    isDeepStrictEqual(readyCondition({ status: { conditions } }), readyCondition(observed.resource));
  return isSaid && Object.keys(others).length === 0;
}

function asEndingByExpiry(observed: Expiring): (Expiring & Ending) | undefined {
  const { uid, ending, ended } = observed;
  if (uid === undefined) return undefined;
  const consequences: Consequences = {
    meanwhile: ending,
    notOurs: (input) => conclude(input, ended),
    denied: concludeDenied,
    unidentified: (input) => conclude(input, ending),
    kept: () => undefined,
    note: (input) => deletedExpiredMessage(input.kind.noun, input.uid),
  };
  return asEnding(observed, uid, consequences);
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

/** Nothing but a change of a Tenant, or of the settings of the operator, lets the resource be deleted. */
function concludeDenied(observed: DecisionInput, { message: because }: Pick<Problem, "message">): Step {
  const { kind } = observed;
  return conclude(observed, stalled("Expired", expiredDeniedMessage(kind.noun, expiryOf(observed), because)));
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
