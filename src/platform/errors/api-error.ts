/** The gRPC codes that the platform answers with. */
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

/** What an error says beside its code and reason; each becomes a typed payload of the AIP-193 shape. */
export type ErrorDetail =
  | { readonly kind: "badRequest"; readonly field: string; readonly description: string }
  | { readonly kind: "precondition"; readonly type: string; readonly description: string }
  | { readonly kind: "resource"; readonly resourceType: string; readonly uid: string }
  | { readonly kind: "retry"; readonly seconds: number };

/** In characters: as long as a uid, and then some. Over gRPC a message is a header, which clients and proxies bound to some KiB. */
const longestText = 1_500;

/** An error may repeat what the caller sent, which may be long. */
function bounded(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText).toWellFormed()}…`;
}

function boundedDetail(detail: ErrorDetail): ErrorDetail {
  switch (detail.kind) {
    case "badRequest":
      return { ...detail, field: bounded(detail.field), description: bounded(detail.description) };
    case "precondition":
      return { ...detail, description: bounded(detail.description) };
    case "resource":
      return { ...detail, uid: bounded(detail.uid) };
    case "retry":
      return detail;
  }
}

/**
 * An answer that is an error: thrown anywhere below a handler, turned into either wire form in one place.
 * The message reaches the caller, so it never holds a token, a secret or something that was fetched.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: Code;
  /** `ErrorInfo.reason`. */
  readonly reason: string;
  readonly detail: ErrorDetail | undefined;

  constructor(code: Code, reason: string, message: string, detail?: ErrorDetail) {
    super(bounded(message));
    this.code = code;
    this.reason = reason;
    this.detail = detail === undefined ? undefined : boundedDetail(detail);
  }
}

/** `field` as the caller wrote it: a body's field in lowerCamelCase with its path, or the name of a query parameter. */
export function invalidArgument(field: string, description: string): ApiError {
  return new ApiError(Code.invalidArgument, "INVALID_ARGUMENT", `Invalid argument: ${field}: ${description}`, {
    kind: "badRequest",
    field,
    description,
  });
}

/** `type` names the violation, such as `RESOURCE_NOT_EMPTY`. */
export function failedPrecondition(type: string, description: string): ApiError {
  return new ApiError(Code.failedPrecondition, "FAILED_PRECONDITION", `Precondition failed: ${description}`, {
    kind: "precondition",
    type,
    description,
  });
}

/** Also for what the caller cannot see at all: the answer must not tell the two apart. */
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

/** The caller is not there any more: nobody reads this. */
export function cancelled(description: string): ApiError {
  return new ApiError(Code.cancelled, "CANCELLED", `Cancelled: ${description}`);
}

export function unauthenticated(description: string): ApiError {
  return new ApiError(Code.unauthenticated, "UNAUTHENTICATED", `Unauthenticated: ${description}`);
}

export function alreadyExists(description: string): ApiError {
  return new ApiError(Code.alreadyExists, "ALREADY_EXISTS", `Already exists: ${description}`);
}

export function unimplemented(description: string): ApiError {
  return new ApiError(Code.unimplemented, "UNIMPLEMENTED", `Not implemented: ${description}`);
}

export function unavailable(description: string): ApiError {
  return new ApiError(Code.unavailable, "UNAVAILABLE", `Unavailable: ${description}`);
}

/** Too much at once; `seconds` until it is worth trying again. */
export function resourceExhausted(description: string, seconds: number): ApiError {
  return new ApiError(Code.resourceExhausted, "RESOURCE_EXHAUSTED", `Resource exhausted: ${description}`, {
    kind: "retry",
    seconds,
  });
}
