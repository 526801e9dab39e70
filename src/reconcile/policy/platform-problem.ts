import { parentField } from "#src/kinds/parent-reference.ts";
import type { PlatformError, PlatformProblem } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import { conflictMessages } from "./conflict-messages.ts";
import * as platformMessages from "./platform-messages.ts";
import { failing, type Problem, stalled, waiting } from "./outcome.ts";

/** The object that a call was made for. */
export type Concerned = Pick<DecisionInput, "kind" | "resource" | "children">;

/** What a platform call that failed means for the object that it was made for. */
export function problemOf(failure: PlatformProblem, object: Concerned): Problem {
  switch (failure.kind) {
    case "rejected":
      return { ...problemOfError(failure.error, object), error: failure.error };
    case "noResponse":
      return waiting("PlatformUnavailable", platformMessages.noResponse(failure.message));
    case "suspended":
      return problemOf(failure.outage, object);
    case "parentGone":
      return waiting(
        "ReferenceNotReady",
        platformMessages.parentGone(failure.parent, parentField(object.kind, object.resource)),
      );
    case "paused":
      return waiting("RateLimited", platformMessages.requestsPaused());
    case "credential":
      return failure.cause === "exchange"
        ? failing("TokenExchangeFailed", platformMessages.exchangeFailed(failure.message))
        : failing("TokenUnavailable", platformMessages.tokenUnavailable(failure.message));
    case "ownerMismatch":
      return failing("OwnerMismatch", platformMessages.ownerMismatch(failure.expected, failure.recorded));
    case "permissions":
      return failing("PermissionDenied", platformMessages.listDenied(failure.capability, failure.scope));
  }
}

/** The violations that end when other resources are deleted: those in the resource, or those that refer to it. */
const othersGoFirst: ReadonlySet<string> = new Set(["RESOURCE_NOT_EMPTY", "RESOURCE_IN_USE"]);

/** The code alone decides what to do; only for FAILED_PRECONDITION and RESOURCE_EXHAUSTED the details matter, too. */
function problemOfError(error: PlatformError, object: Concerned): Problem {
  const { kind, resource, children } = object;
  const { code, message } = error;
  switch (code) {
    case "INVALID_ARGUMENT":
    case "OUT_OF_RANGE":
    case "UNIMPLEMENTED":
      return stalled("InvalidSpec", platformMessages.specRejected(violationsBySpecPath(error, object) ?? message));
    case "FAILED_PRECONDITION":
      return error.preconditionViolations.some(({ type }) => othersGoFirst.has(type))
        ? waiting("ChildrenExist", platformMessages.notEmpty(kind.noun, message, children))
        : stalled("PreconditionFailed", platformMessages.preconditionFailed(message));
    case "UNAUTHENTICATED":
      return failing("TokenUnavailable", platformMessages.tokenRejected(message));
    case "PERMISSION_DENIED":
      return failing("PermissionDenied", platformMessages.permissionDenied(message));
    case "NOT_FOUND":
      return failing("ReferenceNotFound", platformMessages.referencedNotFound(kind.noun, message));
    case "ALREADY_EXISTS":
      return stalled(
        "Conflict",
        conflictMessages(kind).alreadyExists(kind.noun, message, kind.nameOf(resource) !== undefined),
      );
    case "RESOURCE_EXHAUSTED":
      if (error.quotaViolations !== undefined)
        return stalled("QuotaExceeded", platformMessages.quotaExceeded(quotas(error.quotaViolations) ?? message));
      return waiting("RateLimited", platformMessages.rateLimited(message));
    case "OK":
    case "CANCELLED":
    case "UNKNOWN":
    case "DEADLINE_EXCEEDED":
    case "ABORTED":
    case "INTERNAL":
    case "UNAVAILABLE":
    case "DATA_LOSS":
      return waiting("PlatformUnavailable", platformMessages.requestFailed(code, message));
  }
}

/** The quotas by name; undefined if the platform names none. */
function quotas(violations: NonNullable<PlatformError["quotaViolations"]>): string | undefined {
  if (violations.length === 0) return undefined;
  return violations
    .map(({ subject, description }) => [subject, description].filter((text) => text !== "").join(": "))
    .join("; ");
}

/** The field violations, with each field as its path in the spec; undefined if there are none. */
function violationsBySpecPath({ fieldViolations }: PlatformError, { kind, resource }: Concerned): string | undefined {
  if (fieldViolations.length === 0) return undefined;
  return fieldViolations
    .map(({ field, description }) => `${kind.specPath(field, resource)}: ${description}`)
    .join("; ");
}
