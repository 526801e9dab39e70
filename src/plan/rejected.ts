import { type CodeName, PlatformFailure } from "#src/platform-client/failure.ts";

/** The failure of a call that the platform would reject. The reason is the first violation, or else the code. */
export function rejected(
  call: string,
  code: CodeName,
  message: string = code,
  ...preconditionViolations: readonly { readonly type: string; readonly description: string }[]
): PlatformFailure {
  return new PlatformFailure(call, {
    kind: "rejected",
    error: {
      code,
      message,
      reason: preconditionViolations[0]?.type ?? code,
      domain: "",
      fieldViolations: [],
      preconditionViolations,
    },
  });
}

/** The failure of a call that the platform would reject because of a field of its body. */
export function invalidField(call: string, field: string, description: string): PlatformFailure {
  const message = `${field}: ${description}`;
  return new PlatformFailure(call, {
    kind: "rejected",
    error: {
      code: "INVALID_ARGUMENT",
      message,
      reason: "INVALID_ARGUMENT",
      domain: "",
      fieldViolations: [{ field, description }],
      preconditionViolations: [],
    },
  });
}

/** The reason of what the caller may not see: it says nothing about the operator, which may see it. */
export const notSeen = "NOT_SEEN_BY_CALLER";

/** The failure of a read whose response would prove nothing. */
export function unseen(call: string, capability: string, group: string): PlatformFailure {
  const message = `you do not have ${capability} in ${group}, so the plan cannot see what is there`;
  return new PlatformFailure(call, {
    kind: "rejected",
    error: {
      code: "PERMISSION_DENIED",
      message,
      reason: notSeen,
      domain: "",
      fieldViolations: [],
      preconditionViolations: [],
    },
  });
}
