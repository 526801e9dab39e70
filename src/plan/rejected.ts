import { type CodeName, type PlatformError, PlatformFailure } from "#src/platform-client/failure.ts";

/** The failure of a call that the platform would reject. The message and the reason are the code, unless the details have others. */
export function rejected(call: string, code: CodeName, details: Partial<PlatformError> = {}): PlatformFailure {
  const nothing = { message: code, reason: code, domain: "", fieldViolations: [], preconditionViolations: [] };
  return new PlatformFailure(call, { kind: "rejected", error: { ...nothing, ...details, code } });
}

/** The failure of a call that the platform would reject because of a field of its body. */
export function invalidField(call: string, field: string, description: string): PlatformFailure {
  const message = `${field}: ${description}`;
  return rejected(call, "INVALID_ARGUMENT", { message, fieldViolations: [{ field, description }] });
}

/** The failure of a call that the platform would reject because of what else there is. */
export function unmetPrecondition(
  call: string,
  message: string,
  violation: PlatformError["preconditionViolations"][number],
): PlatformFailure {
  return rejected(call, "FAILED_PRECONDITION", {
    message,
    reason: violation.type,
    preconditionViolations: [violation],
  });
}

/** The reason of what the caller may not see: it says nothing about the operator, which may see it. */
export const notSeen = "NOT_SEEN_BY_CALLER";

/** The failure of a read whose response would prove nothing. */
export function unseen(call: string, capability: string, group: string): PlatformFailure {
  const message = `you do not have ${capability} in ${group}, so the plan cannot see what is there`;
  return rejected(call, "PERMISSION_DENIED", { message, reason: notSeen });
}
