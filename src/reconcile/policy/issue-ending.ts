import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import type { Refusal } from "#src/reconcile/observe/observed.ts";
import { conclude } from "./conclude.ts";
import * as issueMessages from "./issue-messages.ts";
import { heldUid, isUnrecorded, type IssueInput, lostUids } from "./issued.ts";
import { locationOf, outdatedAt, readSecret } from "./issued-secret.ts";
import * as absenceMessages from "./absence-messages.ts";
import { failing, type Problem, stalled, waiting } from "./outcome.ts";
import { delayingRefusal } from "./refusal.ts";
import { leaveUnproven } from "./release.ts";
import { attempt } from "./retry.ts";
import type { Step } from "./step.ts";
import { unreadKind } from "./unread.ts";
import { awaitMeaning } from "./unrecorded.ts";

// The deletion and the expiry of an object whose status records no resource: a process that ended may have created one and
// written its uid into the Secret.

/** The step that is missing before it is known what the Secret of an object that is being deleted names. */
export function readSecretToDelete(observed: IssueInput): Step | undefined {
  return readUnrecorded(observed, waiting("Deleting", absenceMessages.outcomeUnknown()), (refusal) =>
    isForlorn(observed)
      ? abandon(observed, issueMessages.leftBecause.unreadable)
      : conclude(observed, failing("KubernetesForbidden", unreadable(observed, refusal)), refusal.retryAt),
  );
}

/** The step that is missing before it is known what the Secret of an object that has expired names. */
export function readSecretToExpire(observed: IssueInput, ending: Problem): Step | undefined {
  if (!mayHaveManaged(observed.resource)) return undefined;
  return readUnrecorded(observed, ending, (refusal) =>
    conclude(observed, stalled("Expired", unreadable(observed, refusal)), refusal.retryAt),
  );
}

/**
 * @param meanwhile what is reported until no request of a previous process can take effect any longer.
 * @param refused the step if the Secret may not be read.
 */
function readUnrecorded(
  observed: IssueInput,
  meanwhile: Problem,
  refused: (refusal: Refusal) => Step,
): Step | undefined {
  const { secret, settledAt, now, state, invalid } = observed;
  // Which Secret an invalid spec named is not known.
  if (invalid !== null || !isUnrecorded(observed) || state.issued !== undefined) return undefined;
  if (state.bornHere && heldUid(observed) === undefined) return undefined;
  if (now < settledAt) return conclude(observed, meanwhile, settledAt);
  const isKnown = secret !== null && secret.readAt >= settledAt;
  if (isKnown && now < outdatedAt(observed)) return undefined;
  const refusal = delayingRefusal(observed, "readSecret");
  if (refusal === undefined) return readSecret(observed);
  return isKnown ? undefined : refused(refusal);
}

function unreadable(observed: IssueInput, refusal: Refusal): string {
  const { kind } = observed;
  return issueMessages.secretUnreadable(kind.identification.code.specPath, locationOf(observed), kind.noun, refusal);
}

/**
 * The step for an object that is being deleted, and whose references do not say whether the resource that the Secret names is
 * the object's.
 */
export function awaitReferences(observed: IssueInput): Step {
  const { references } = observed;
  switch (references.are) {
    case "unread":
      return attempt(observed, { do: "refreshPermissions" });
    case "denied":
      return conclude(observed, stalled("TenantDenied", references.message));
    case "waiting":
      if (!isForlorn(observed))
        return awaitMeaning(observed) ?? conclude(observed, waiting(references.reason, references.message));
      return abandon(observed, issueMessages.leftBecause.unidentified);
    case "unreadKind":
      return conclude(observed, unreadKind(references));
    case "invalid":
    case "resolved":
      return abandon(observed, issueMessages.leftBecause.unidentified);
  }
}

/** Whether nothing is worth a wait: what the object refers to is gone, or its namespace is going. */
function isForlorn({ references, namespaceIsTerminating }: IssueInput): boolean {
  return namespaceIsTerminating || (references.are === "waiting" && references.reason === "ReferenceNotFound");
}

/** The object goes, and what it may have created stays. @param why completes "because …". */
export function abandon(observed: IssueInput, why: string): Step {
  return leaveUnproven(observed, issueMessages.mayBeLeft(observed.kind.noun, why));
}

/** The object goes, and a resource stays if a request created one whose code was lost. */
export function abandonLost(observed: IssueInput): Step {
  const lost = lostUids(observed);
  if (lost === undefined) return { do: "removeFinalizer" };
  return leaveUnproven(observed, issueMessages.deletedUnanswered(observed.kind.noun, lost));
}
