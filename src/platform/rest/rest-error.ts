import { type ApiError, Code, type ErrorDetail } from "../errors/api-error.ts";

/** The body of an error over REST: an AIP-193 status without a wrapper. */
export interface RestError {
  readonly code: Code;
  readonly message: string;
  readonly details: readonly Readonly<Record<string, unknown>>[];
}

const httpStatus: Readonly<Record<Code, number>> = {
  [Code.cancelled]: 499,
  [Code.invalidArgument]: 400,
  [Code.deadlineExceeded]: 504,
  [Code.notFound]: 404,
  [Code.alreadyExists]: 409,
  [Code.permissionDenied]: 403,
  [Code.resourceExhausted]: 429,
  [Code.failedPrecondition]: 400,
  [Code.aborted]: 409,
  [Code.unimplemented]: 501,
  [Code.internal]: 500,
  [Code.unavailable]: 503,
  [Code.unauthenticated]: 401,
};

export function httpStatusOf(code: Code): number {
  return httpStatus[code];
}

/** @param domain `ErrorInfo.domain`, which is a setting of the platform */
export function restErrorOf(error: ApiError, domain: string): RestError {
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: error.reason, domain };
  return {
    code: error.code,
    message: error.message,
    details: error.detail === undefined ? [info] : [info, payloadOf(error.detail)],
  };
}

function payloadOf(detail: ErrorDetail): Readonly<Record<string, unknown>> {
  switch (detail.kind) {
    case "badRequest":
      return {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: detail.field, description: detail.description }],
      };
    case "precondition":
      return {
        "@type": "type.googleapis.com/google.rpc.PreconditionFailure",
        violations: [{ type: detail.type, description: detail.description }],
      };
    case "resource":
      return {
        "@type": "type.googleapis.com/google.rpc.ResourceInfo",
        resourceType: detail.resourceType,
        resourceName: detail.uid,
      };
    case "quota":
      return {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ subject: detail.subject, description: detail.description }],
      };
    case "retry":
      return { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${detail.seconds}s` };
  }
}
