import { hasFinalizer } from "#src/api/custom-resource.ts";
import type { Drift } from "#src/api/status.ts";
import type { Claim, ExternalResource } from "#src/reconcile/observe/observed.ts";
import { proveAbsenceBelow } from "./absence.ts";
import { hasSameGoal } from "./attempted.ts";
import { conclude } from "./conclude.ts";
import { creationBody } from "./differences.ts";
import { fieldDifferences } from "./field-differences.ts";
import {
  equalsRecord,
  expiresAsDescribed,
  hasEnded,
  type IssueInput,
  isUnrecorded,
  lostUids,
  ownsIssued,
} from "./issued.ts";
import { checkSecret, locationOf, outdatedAt, prepareSecret, readSecret } from "./issued-secret.ts";
import * as issueMessages from "./issue-messages.ts";
import { groupOf, rootAbove } from "./location.ts";
import * as messages from "./messages.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { failing, type Problem, stalled } from "./outcome.ts";
import { findOtherClaimant } from "./ownership.ts";
import type { Placed } from "./placed.ts";
import { recordOf } from "./recorded.ts";
import { delayingRefusal } from "./refusal.ts";
import { attempt } from "./retry.ts";
import type { Event, Step } from "./step.ts";
import { findOutsideTenant } from "./tenant.ts";

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

/** The step for an object that a Tenant permits and whose references are resolved. */
export function decideIssue(observed: IssueInput, references: Placed): Step {
  const { claim, now } = observed;
  if (hasEnded(observed)) return conclude(observed, findGone(observed));
  if (isUnrecorded(observed)) {
    const rival = findSecretWanted(observed);
    if (rival !== undefined) return conclude(observed, rival);
    if (now >= outdatedAt(observed) && delayingRefusal(observed, "readSecret") === undefined)
      return readSecret(observed);
  }
  return claim === null ? decideCreation(observed, references) : decideIssued(observed, references, claim);
}

/** The resource has no uid in the status or in the Secret: it is created, once there is somewhere for its code. */
function decideCreation(observed: IssueInput, references: Placed): Step {
  const { kind, roleToRead, resource, wallClock } = observed;
  const { uids, desired, naturalKey } = references;
  const altered = findAltered(observed);
  if (altered !== undefined) return conclude(observed, altered);
  const proof = proveAbsenceBelow(observed, uids.parent);
  if (proof !== undefined) return proof;
  if (roleToRead !== null) return attempt(observed, { do: "readRole", role: roleToRead });
  const unusable = prepareSecret(observed);
  if (unusable !== undefined) return unusable;
  if (!hasFinalizer(resource)) return { do: "addFinalizer" };
  const body = creationBody(observed, desired);
  // Without `expiresAt` or after it, nothing gets here: the schema requires it, and `expiry.ts` comes first.
  const lifetimeMs = Date.parse(resource.spec.expiresAt ?? "") - wallClock;
  const lost = lostUids(observed);
  const event: Event =
    lost === undefined
      ? { type: "Normal", reason: "Created", note: messages.created(kind.noun, uids.parent) }
      : { type: "Warning", reason: "Orphaned", note: issueMessages.issueLost(kind.noun, uids.parent, lost) };
  return attempt(observed, {
    do: "create",
    parent: uids.parent,
    body: kind.issued.expiringAt(body, lifetimeMs),
    naturalKey,
    event,
  });
}

/** The status, or the Secret, says which resource it is. */
function decideIssued(observed: IssueInput, references: Placed, claim: Claim): Step {
  const { uid, external } = claim;
  const elsewhere = findOtherClaimant(observed) ?? findParentChanged(observed, references, claim);
  if (elsewhere !== undefined)
    return isUnrecorded(observed) ? concludeNotOurs(observed) : conclude(observed, elsewhere);
  switch (external.is) {
    case "unknown":
      return attempt(observed, { do: "list", parent: references.uids.parent, startedAfter: 0, stable: false });
    case "stale":
      return attempt(observed, { do: "read", uid });
    case "gone":
      return conclude(observed, { ...findGone(observed), recorded: "ended" });
    case "present": {
      const { request } = observed;
      if (request !== null && external.seenAt < request.seenAt) return attempt(observed, { do: "read", uid });
      if (!ownsIssued(observed, external.resource)) return concludeNotOurs(observed);
      const problem = findDifferent(observed, references, external.resource) ?? findOutsideTenant(observed, uid);
      if (problem !== undefined) return conclude(observed, problem);
      if (!hasFinalizer(observed.resource)) return { do: "addFinalizer" };
      return conclude(observed, { is: "ready", recorded: recordOf(references.uids, external.resource, "Created") });
    }
  }
}

/** Concludes that the Secret names a resource that is not the object's, until the Secret may name another one. */
function concludeNotOurs(observed: IssueInput): Step {
  const { kind, request } = observed;
  const message = issueMessages.secretOfOther(kind.issued.specPath, locationOf(observed), kind.noun);
  return (
    checkSecret(observed, request?.seenAt ?? 0) ??
    conclude(observed, stalled("Conflict", message), outdatedAt(observed))
  );
}

// Checks. Each is named after the problem that it finds.

function findGone({ kind, resource }: IssueInput): Problem {
  return stalled("ExternalGone", issueMessages.issueGone(kind.noun, kind.issued.endsWhenUsed(resource)));
}

/** The platform made something else of the request. It is not repeated: that would end the same. */
function findAltered(observed: IssueInput): Problem | undefined {
  const { state, kind } = observed;
  if (state.altered === undefined || !hasSameGoal(state.altered.attemptOf, observed)) return undefined;
  const { drift } = state.altered;
  return { ...stalled("InvalidSpec", issueMessages.neverAsRequested(kind.noun, drift)), drift };
}

/** Another object names the same Secret, and has it, or is older. */
function findSecretWanted(observed: IssueInput): Problem | undefined {
  const { rival, resource, kind } = observed;
  if (rival === null) return undefined;
  const other = ownershipMessages.otherObject(kind.name, resource.metadata.namespace, rival);
  return stalled("Conflict", issueMessages.secretWantedBy(kind.issued.specPath, locationOf(observed), other));
}

/** The resource is not what the spec describes, or does not expire when the spec says. */
function findDifferent(observed: IssueInput, references: Placed, external: ExternalResource): Problem | undefined {
  const { kind, resource } = observed;
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
  const actual = kind.issued.expirationOf(external);
  const late: Drift = { field: "expirationTime", expected: expiresAt, actual };
  // It is the object's nevertheless, and may have been created just now.
  const recorded = recordOf(references.uids, external, "Created");
  return { ...failing("DriftDetected", issueMessages.expiresElsewhen(kind.noun, actual)), drift: [late], recorded };
}

/** The resource is not in the group that the reference means now, or its absence cannot be proven where it is. */
function findParentChanged(observed: IssueInput, { uids }: Placed, { uid, external }: Claim): Problem | undefined {
  const isProvenGone = external.is === "gone" && rootAbove(observed, uid) !== undefined;
  if (groupOf(observed, uid) === uids.parent || isProvenGone) return undefined;
  return stalled("ParentChanged", issueMessages.inOtherGroup(observed.kind.noun, uid, uids.parent));
}
