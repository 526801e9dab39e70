/** The gRPC codes that the platform returns. */
export const Code = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;
export type Code = (typeof Code)[keyof typeof Code];

/** The details of an error in addition to code and reason: one typed payload in the sense of AIP-193. */
export type ErrorDetail =
  | { readonly kind: "badRequest"; readonly field: string; readonly description: string }
  | { readonly kind: "precondition"; readonly type: string; readonly description: string }
  | { readonly kind: "resource"; readonly resourceType: string; readonly uid: string }
  | { readonly kind: "retry"; readonly seconds: number }
  | { readonly kind: "quota"; readonly subject: string; readonly description: string };

/**
 * The maximum length of a message in characters, more than the longest uid. Over gRPC a message is a header, which
 * clients and proxies limit to a few KiB.
 */
const longestText = 1_500;

/** Truncates a text, because errors repeat what the caller sent, which may be long. */
function bounded(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText).toWellFormed()}…`;
}

function boundedDetail(detail: ErrorDetail): ErrorDetail {
  switch (detail.kind) {
    case "badRequest":
      return { ...detail, field: bounded(detail.field), description: bounded(detail.description) };
    case "precondition":
      return { ...detail, description: bounded(detail.description) };
    case "quota":
      return { ...detail, subject: bounded(detail.subject), description: bounded(detail.description) };
    case "resource":
      return { ...detail, uid: bounded(detail.uid) };
    case "retry":
      return detail;
  }
}

/** What only the log of the host says of an error: the caller may not know it. It contains no token. */
export interface HostExplanation {
  /** What the call is about, such as the uid of an identity. Errors of one subject are logged apart from others. */
  readonly subject: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * An error response. It is thrown anywhere below a handler and converted to the wire format in one place per transport.
 * The message reaches the caller, so it never contains a token, a secret or a document that was fetched.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: Code;
  /** `ErrorInfo.reason`. */
  readonly reason: string;
  readonly detail: ErrorDetail | undefined;
  /** Never sent. */
  explanation: HostExplanation | undefined;
  /** The uid of the resource that the call was refused for; undefined if it is not known. Never sent. */
  about: string | undefined;
  /** Whether the security log has a record of it already. */
  isRecorded = false;

  constructor(code: Code, reason: string, message: string, detail?: ErrorDetail) {
    super(bounded(message));
    this.code = code;
    this.reason = reason;
    this.detail = detail === undefined ? undefined : boundedDetail(detail);
  }
}

/** @param field as the caller wrote it: the path of a field in the body, in lowerCamelCase, or the name of a query parameter */
export function invalidArgument(field: string, description: string): ApiError {
  return new ApiError(Code.invalidArgument, "INVALID_ARGUMENT", `Invalid argument: ${field}: ${description}`, {
    kind: "badRequest",
    field,
    description,
  });
}

/** @param type of the violation, such as `RESOURCE_NOT_EMPTY` */
export function failedPrecondition(type: string, description: string): ApiError {
  return new ApiError(Code.failedPrecondition, "FAILED_PRECONDITION", `Precondition failed: ${description}`, {
    kind: "precondition",
    type,
    description,
  });
}

/** Also used for resources that the caller cannot see: the responses must be indistinguishable. */
export function notFound(resourceType: string, uid: string): ApiError {
  return new ApiError(Code.notFound, "NOT_FOUND", `Not found: ${resourceType} "${uid}"`, {
    kind: "resource",
    resourceType,
    uid,
  });
}

export function permissionDenied(description: string): ApiError {
  return new ApiError(Code.permissionDenied, "PERMISSION_DENIED", `Permission denied: ${description}`);
}

/** The client disconnected, so nobody receives this error. */
export function cancelled(description: string): ApiError {
  return new ApiError(Code.cancelled, "CANCELLED", `Cancelled: ${description}`);
}

export function unauthenticated(description: string): ApiError {
  return new ApiError(Code.unauthenticated, "UNAUTHENTICATED", `Unauthenticated: ${description}`);
}

export function alreadyExists(description: string): ApiError {
  return new ApiError(Code.alreadyExists, "ALREADY_EXISTS", `Already exists: ${description}`);
}

/** The call conflicted with a change by another one, and can be repeated from its start. */
export function aborted(description: string): ApiError {
  return new ApiError(Code.aborted, "ABORTED", `Aborted: ${description}`);
}

export function unimplemented(description: string): ApiError {
  return new ApiError(Code.unimplemented, "UNIMPLEMENTED", `Not implemented: ${description}`);
}

export function unavailable(description: string): ApiError {
  return new ApiError(Code.unavailable, "UNAVAILABLE", `Unavailable: ${description}`);
}

/** @param seconds after which a retry makes sense */
export function resourceExhausted(description: string, seconds: number): ApiError {
  return new ApiError(Code.resourceExhausted, "RESOURCE_EXHAUSTED", `Resource exhausted: ${description}`, {
    kind: "retry",
    seconds,
  });
}

/** A limit on what may exist. A retry does not help. @param subject the uid of the resource that has the limit */
export function quotaExceeded(subject: string, description: string): ApiError {
  return new ApiError(Code.resourceExhausted, "RESOURCE_EXHAUSTED", `Resource exhausted: ${description}`, {
    kind: "quota",
    subject,
    description,
  });
}
