import type { Reason } from "#src/api/condition.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { PlatformErrorBody, PlatformProblem } from "#src/platform-client/failure.ts";

/**
 * Why a resource is not as it should be, and what that means for its conditions:
 * - `stalled`: nothing more is tried until something changes (kstatus Stalled); shown at once.
 * - `waiting`: it will come right by itself (kstatus Reconciling); shown once it has lasted.
 * - `failing`: tried again, but somebody has to act; shown once it has lasted.
 */
export interface Problem {
  readonly is: "stalled" | "waiting" | "failing";
  readonly reason: Reason;
  /** One sentence, with the mend where there is one. */
  readonly message: string;
  readonly error?: PlatformErrorBody;
  /** How long it lasts before it is shown, in milliseconds, where that is not the usual two seconds. */
  readonly statusDelayMs?: number;
}

/** What a failed call to the platform means for the resource that it was made for. */
export function problemOf(failure: PlatformProblem, kind: Kind): Problem {
  switch (failure.kind) {
    case "refused":
      return problemOfRefusal(failure.error, kind);
    case "noResponse":
      return {
        is: "waiting",
        reason: "PlatformUnavailable",
        message: `The platform does not answer: ${failure.message}.`,
      };
    case "paused":
      return {
        is: "waiting",
        reason: "RateLimited",
        message: "The platform asked for fewer requests; they go on after the pause that it named.",
      };
    case "credential":
      return failure.cause === "exchange"
        ? {
            is: "failing",
            reason: "TokenExchangeFailed",
            message: `The operator gets no token: ${failure.message}. Check the identity's claimMatch against the operator's service account.`,
          }
        : { is: "failing", reason: "TokenUnavailable", message: `The operator has no token: ${failure.message}.` };
    case "permissions":
      return {
        is: "failing",
        reason: "PermissionDenied",
        message: `The operator's identity may not list what is in group ${failure.scope} (${failure.capability}), so it cannot know what is there. Bind it a role that may, such as owner, in that group or above.`,
      };
  }
}

function problemOfRefusal(error: PlatformErrorBody, kind: Kind): Problem {
  switch (error.code) {
    case "INVALID_ARGUMENT":
    case "OUT_OF_RANGE":
    case "UNIMPLEMENTED":
      return { is: "stalled", reason: "InvalidSpec", message: invalidSpec(error, kind), error };
    case "FAILED_PRECONDITION":
      return error.preconditionViolations.some((violation) => violation.type === "RESOURCE_NOT_EMPTY")
        ? {
            is: "waiting",
            reason: "ChildrenExist",
            message: `The platform keeps the ${kind.noun} while something is in it: ${error.message}. Delete that first.`,
            error,
          }
        : { is: "stalled", reason: "PreconditionFailed", message: `The platform refused: ${error.message}.`, error };
    case "UNAUTHENTICATED":
      return {
        is: "failing",
        reason: "TokenUnavailable",
        message: `The platform does not accept the operator's token: ${error.message}.`,
        error,
      };
    case "PERMISSION_DENIED":
      return {
        is: "failing",
        reason: "PermissionDenied",
        message: `The platform refused the operator: ${error.message}. Give the operator's identity a role that allows it, in that group or above.`,
        error,
      };
    case "NOT_FOUND":
      return {
        is: "failing",
        reason: "ReferenceNotFound",
        message: `The platform does not know something that the ${kind.noun} refers to, or does not let the operator see it: ${error.message}.`,
        error,
      };
    case "ALREADY_EXISTS":
      return {
        is: "stalled",
        reason: "Conflict",
        message: `The platform has a ${kind.noun} like this already: ${error.message}. Choose another name, or let Muster manage the other one with spec.policy.adoption: IfExists.`,
        error,
      };
    case "RESOURCE_EXHAUSTED":
      return {
        is: "waiting",
        reason: "RateLimited",
        message: `The platform limits the operator's requests: ${error.message}.`,
        error,
      };
    case "OK":
    case "CANCELLED":
    case "UNKNOWN":
    case "DEADLINE_EXCEEDED":
    case "ABORTED":
    case "INTERNAL":
    case "UNAVAILABLE":
    case "DATA_LOSS":
      return {
        is: "waiting",
        reason: "PlatformUnavailable",
        message: `The platform could not do it: ${error.code}: ${error.message}.`,
        error,
      };
  }
}

function invalidSpec(error: PlatformErrorBody, kind: Kind): string {
  const violations = error.fieldViolations.map(({ field, description }) => `${kind.specPath(field)}: ${description}`);
  return `The platform refused the spec: ${violations.length === 0 ? error.message : violations.join("; ")}.`;
}
