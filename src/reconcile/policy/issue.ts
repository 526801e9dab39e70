import type { Drift } from "#src/api/status.ts";
import type { Claim } from "#src/reconcile/observe/observed.ts";
import { proveAbsenceBelow } from "./absence.ts";
import { finalizerMissing } from "./adoption.ts";
import { hasSameGoal } from "./attempted.ts";
import { calls, check, part, type Phase, reports, where } from "./check.ts";
import { mayBeGone } from "./claimed.ts";
import { conclude } from "./conclude.ts";
import { type Found, groupOf, type Managed, rootAbove } from "./decision-input.ts";
import { creationBody } from "./differences.ts";
import { fieldDifferences } from "./field-differences.ts";
import * as issueMessages from "./issue-messages.ts";
import { checkSecret, locationOf, outdatedAt, prepareSecret, readSecret } from "./issued-secret.ts";
import {
  equalsRecord,
  expiresAsDescribed,
  hasEnded,
  type IssueInput,
  isUnrecorded,
  lostUids,
  ownsIssued,
} from "./issued.ts";
import * as messages from "./messages.ts";
import { failing, type Problem, stalled } from "./outcome.ts";
import { findOtherClaimant, findRival } from "./conflicts.ts";
import { recordOf } from "./recorded.ts";
import { delayingRefusal } from "./refusal.ts";
import type { Event, Step } from "./step.ts";
import { findOutsideTenant } from "./tenant.ts";
import { readRequested, roleUnread } from "./unread.ts";

/**
 * The policy for a kind that issues codes: the platform returns the code of a resource once, in the response to the POST, and
 * the operator writes it into an empty Secret that the user made.
 *
 * Expected flow: `list` (shared) → `readSecret` → `checkSecret` (a dry run) → `addFinalizer` → `create` → `writeSecret` →
 * `writeStatus` → `done`.
 *
 * Guarantees:
 * - At most one resource exists whose code is known, and its code is in the Secret. The write of the Secret applies only to
 *   the version that was checked, so that of two writers one fails; what it created, it deletes.
 * - The Secret says whose code it has. If the status was not written, or was lost, the resource is found by that.
 * - What is gone, whether redeemed, deleted or expired, is never created again.
 * - Nobody gets the code of what the platform created otherwise than requested: it is deleted, and the object says so.
 *
 * Caveats: a resource whose code was lost, with the response or with the process, cannot be recognized: equal ones are
 * legitimate, and they have no description. After the settle time another one is created. An event names equal ones that no
 * object declares, which the group reports as undeclared access, too.
 *
 * There is no adoption, because nobody can read the code of what exists, and no correction of drift, because the platform
 * cannot change the fields; no breaker, because resources that are redeemed disappear, and none is created again.
 */

/** An object that a Tenant permits and whose references are resolved. */
type Issuing = IssueInput & Managed;
/** The status, or the Secret, says which resource it is. */
type Issued = Issuing & { readonly claim: Claim };

/** The resource has no uid in the status or in the Secret: it is created, once there is somewhere for its code. */
const creating: Phase<Issuing> = [
  reports("altered", "The platform made something else of the request.", findAltered),
  check("absenceUnproven", "That the platform has no resource for the object is not proven.", (observed) =>
    proveAbsenceBelow(observed, observed.references.uids.parent),
  ),
  roleUnread(({ roleToRead }) => roleToRead),
  check("secretNotPrepared", "The code cannot be written into the Secret, or that is not known.", prepareSecret),
  finalizerMissing,
  calls("absent", "The platform has no resource for the object.", (observed) => {
    const { kind, resource, wallClock, references } = observed;
    const { uids, desired, naturalKey } = references;
    const body = creationBody(observed, desired);
    // Without `expiresAt` or after it, nothing gets here: the schema requires it, and `expiry.ts` comes first.
    const lifetimeMs = Date.parse(resource.spec.expiresAt ?? "") - wallClock;
    const lost = lostUids(observed);
    const event: Event =
      lost === undefined
        ? { type: "Normal", reason: "Created", note: messages.created(kind.noun, uids.parent) }
        : { type: "Warning", reason: "Orphaned", note: issueMessages.issueLost(kind.noun, uids.parent, lost) };
    return {
      do: "create",
      parent: uids.parent,
      body: kind.identification.code.expiringAt(body, lifetimeMs),
      naturalKey,
      event,
    };
  }),
];

const present: Phase<Issued & Found> = [
  readRequested,
  check("secretOfOther", "The Secret names a resource that is not the object's.", (observed) =>
    ownsIssued(observed, observed.external) ? undefined : concludeNotOurs(observed),
  ),
  reports("differs", "The resource is not what the spec describes.", findDifferent),
  reports("outsideTenant", "The resource lies outside of the Tenant's groups.", (observed) =>
    findOutsideTenant(observed, observed.claim.uid),
  ),
  finalizerMissing,
  reports("ready", "The resource is what the spec describes.", ({ references, external }) => ({
    is: "ready",
    recorded: recordOf(references.uids, external, "Created"),
  })),
];

const issued: Phase<Issued> = [
  where("only the Secret names the resource", (observed) => isUnrecorded(observed), [
    check("secretOfOther", "The Secret names a resource of another object, or in another group.", (observed) =>
      (findOtherClaimant(observed) ?? findParentChanged(observed)) === undefined
        ? undefined
        : concludeNotOurs(observed),
    ),
  ]),
  reports("claimedByOther", "The uid belongs to another object.", findOtherClaimant),
  reports("parentChanged", "The resource lies below another group than the spec names.", findParentChanged),
  calls("notSeenYet", "This process has not seen the resource yet.", ({ claim, references }) =>
    claim.external.is === "unknown"
      ? { do: "list", parent: references.uids.parent, startedAfter: 0, stable: false }
      : undefined,
  ),
  mayBeGone,
  reports("issueGone", "The resource was redeemed, deleted, or has expired.", (observed) =>
    observed.claim.external.is === "gone" ? { ...findGone(observed), recorded: "ended" } : undefined,
  ),
  part("the resource exists", asPresent, present),
];

/** An object of a kind that issues codes. */
export const issuing: Phase<Issuing> = [
  reports("issueEnded", "The resource was redeemed, deleted, or has expired before.", (observed) =>
    hasEnded(observed) ? findGone(observed) : undefined,
  ),
  where("the status says nothing of a resource", (observed) => isUnrecorded(observed), [
    reports("secretWanted", "Another object names the same Secret, and has it, or is older.", findRival),
    check("secretUnread", "The Secret was not read a moment ago.", (observed) =>
      observed.now >= outdatedAt(observed) && delayingRefusal(observed, "readSecret") === undefined
        ? readSecret(observed)
        : undefined,
    ),
  ]),
  part("the status or the Secret names a resource", asIssued, issued),
  ...creating,
];

function asIssued(observed: Issuing): Issued | undefined {
  const { claim } = observed;
  return claim === null ? undefined : { ...observed, claim };
}

function asPresent(observed: Issued): (Issued & Found) | undefined {
  const { external } = observed.claim;
  return external.is === "present" ? { ...observed, external: external.resource } : undefined;
}

/** Concludes that the Secret names a resource that is not the object's, until the Secret may name another one. */
function concludeNotOurs(observed: IssueInput): Step {
  const { kind, request } = observed;
  const message = issueMessages.secretOfOther(kind.identification.code.specPath, locationOf(observed), kind.noun);
  return (
    checkSecret(observed, request?.seenAt ?? 0) ??
    conclude(observed, stalled("Conflict", message), outdatedAt(observed))
  );
}

// Checks. Each is named after the problem that it finds.

function findGone({ kind, resource }: IssueInput): Problem {
  return stalled("ExternalGone", issueMessages.issueGone(kind.noun, kind.identification.code.endsWhenUsed(resource)));
}

/** The platform made something else of the request. It is not repeated: that would end the same. */
function findAltered(observed: IssueInput): Problem | undefined {
  const { state, kind } = observed;
  if (state.altered === undefined || !hasSameGoal(state.altered.attemptOf, observed)) return undefined;
  const { drift } = state.altered;
  return { ...stalled("InvalidSpec", issueMessages.neverAsRequested(kind.noun, drift)), drift };
}

/** The resource is not what the spec describes, or does not expire when the spec says. */
function findDifferent(observed: Issuing & Found): Problem | undefined {
  const { kind, resource, references, external } = observed;
  const drift = fieldDifferences(kind, references.desired, external);
  if (drift.length > 0) {
    const fields = drift.map(({ field }) => field).join(", ");
    const message = equalsRecord(observed, external)
      ? issueMessages.referenceMeansAnother(kind.specPath("roleUid", resource), kind.noun)
      : issueMessages.issueDiffers(kind.noun, fields);
    return { ...failing("DriftDetected", message), drift };
  }
  if (expiresAsDescribed(observed, external)) return undefined;
  const { expiresAt = "" } = resource.spec;
  const actual = kind.identification.code.expirationOf(external);
  const late: Drift = { field: "expirationTime", expected: expiresAt, actual };
  // It is the object's nevertheless, and may have been created just now.
  const recorded = recordOf(references.uids, external, "Created");
  return { ...failing("DriftDetected", issueMessages.expiresElsewhen(kind.noun, actual)), drift: [late], recorded };
}

/** The resource is not in the group that the reference means now, or its absence cannot be proven where it is. */
function findParentChanged(observed: Issued): Problem | undefined {
  const {
    references: { uids },
    claim: { uid, external },
  } = observed;
  const isProvenGone = external.is === "gone" && rootAbove(observed, uid) !== undefined;
  if (groupOf(observed, uid) === uids.parent || isProvenGone) return undefined;
  return stalled("ParentChanged", issueMessages.inOtherGroup(observed.kind.noun, uid, uids.parent));
}
