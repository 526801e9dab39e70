import { parseRetryAfter } from "#src/http/retry-after.ts";
import { isJsonObject } from "#src/json/json-object.ts";
import { hours } from "#src/time/durations.ts";

/** The names of the gRPC codes, indexed by number. An AIP-193 error carries the number. */
export const codeNames = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

export type CodeName = (typeof codeNames)[number];

export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export interface PreconditionViolation {
  readonly type: string;
  readonly description: string;
  readonly subject?: string;
}

/** A quota that a request would exceed. */
export interface QuotaViolation {
  readonly subject: string;
  readonly description: string;
}

/** The content of an AIP-193 error. Its lists have at most 64 items, and its texts at most 32,768 characters. */
export interface PlatformError {
  readonly code: CodeName;
  readonly message: string;
  readonly reason: string;
  readonly domain: string;
  readonly fieldViolations: readonly FieldViolation[];
  readonly preconditionViolations: readonly PreconditionViolation[];
  /** Absent unless the error has a `google.rpc.QuotaFailure`: the request exceeds a quota, not a rate. */
  readonly quotaViolations?: readonly QuotaViolation[];
}

/**
 * Why a call to the platform failed.
 * - `rejected`: the platform responded with an AIP-193 error whose code agrees with the HTTP status.
 * - `noResponse`: no response, or one that is not the platform's. Whether the call took effect is unknown.
 * - `paused`: not sent, because the platform asked for a pause (Retry-After), another process may be the leader, or what the call
 *   depends on may have changed since it was read.
 * - `suspended`: not sent, because the last calls failed with `outage` and calls are suspended. See `suspension.ts`.
 * - `credential`: not sent, because there is no token. The token service is `unavailable`, or it rejected the `exchange`.
 * - `ownerMismatch`: not sent, because the operator's identity records another owner, or none.
 * - `permissions`: not sent, or its response proves nothing, because the identity lacks the capability in the scope.
 * - `parentGone`: rejected, because the group below which a resource was to be created is proven to be gone.
 */
export type PlatformProblem =
  | OutageProblem
  | { readonly kind: "paused"; readonly retryAfterMs: number }
  | { readonly kind: "suspended"; readonly outage: OutageProblem }
  | { readonly kind: "ownerMismatch"; readonly expected: string; readonly recorded: string | null }
  | { readonly kind: "permissions"; readonly capability: string; readonly scope: string }
  | { readonly kind: "parentGone"; readonly parent: string };

/** The kinds of problems that can be an outage: a problem of the platform or of the credential, whatever the call. */
export type OutageProblem =
  | { readonly kind: "rejected"; readonly error: PlatformError; readonly retryAfterMs?: number }
  | { readonly kind: "noResponse"; readonly message: string; readonly retryAfterMs?: number }
  | {
      readonly kind: "credential";
      readonly cause: "unavailable" | "exchange";
      readonly message: string;
      readonly retryAfterMs?: number;
    };

/** A failed call to the platform, named by `call`. It never contains a token or a request body. */
export class PlatformFailure extends Error {
  override readonly name = "PlatformFailure";
  readonly call: string;
  readonly problem: PlatformProblem;
  constructor(call: string, problem: PlatformProblem, options?: ErrorOptions) {
    super(`${call}: ${describeProblem(problem)}`, options);
    this.call = call;
    this.problem = problem;
  }
}

/** One line for logs and errors. */
export function describeProblem(problem: PlatformProblem): string {
  switch (problem.kind) {
    case "rejected":
      return `${problem.error.code}: ${problem.error.message}`;
    case "noResponse":
    case "credential":
      return problem.message;
    case "paused":
      return `not sent; retry in ${Math.ceil(problem.retryAfterMs / 1000)} s`;
    case "ownerMismatch":
      return `the operator's identity records ${problem.recorded === null ? "no owner" : `the owner ${problem.recorded}`}, and this operator is ${problem.expected}`;
    case "suspended":
      return `not sent because the last calls failed: ${describeProblem(problem.outage)}`;
    case "permissions":
      return `the operator's identity does not have ${problem.capability} in ${problem.scope}`;
    case "parentGone":
      return `the group ${problem.parent} does not exist`;
  }
}

/** The HTTP status of each gRPC code; 500 for a code that is not listed. A response with another status is not believed. */
export const statusOfCode: Readonly<Record<number, number>> = {
  1: 499,
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  14: 503,
  16: 401,
};

/** What is kept of an error, because an error is remembered for each object that it concerns. */
const maxItems = 64;
const maxTextLength = 32_768;

/** Parses the body of an AIP-193 error. Returns undefined if `body` is not one or its code contradicts the HTTP status. */
export function parseErrorBody(status: number, body: unknown): PlatformError | undefined {
  if (!isJsonObject(body) || typeof body["code"] !== "number" || typeof body["message"] !== "string") return undefined;
  const code = codeNames[body["code"]];
  if (code === undefined || code === "OK" || (statusOfCode[body["code"]] ?? 500) !== status) return undefined;
  const details = Array.isArray(body["details"]) ? body["details"].slice(0, maxItems).filter(isJsonObject) : [];
  const detail = (type: string) =>
    details.find((candidate) => String(candidate["@type"]).endsWith(`google.rpc.${type}`)) ?? {};
  return {
    code,
    message: textOf(body["message"]),
    reason: textOf(detail("ErrorInfo")["reason"]),
    domain: textOf(detail("ErrorInfo")["domain"]),
    fieldViolations: recordsOf(detail("BadRequest")["fieldViolations"]).map((violation) => ({
      field: textOf(violation["field"]),
      description: textOf(violation["description"]),
    })),
    preconditionViolations: recordsOf(detail("PreconditionFailure")["violations"]).map((violation) => ({
      type: textOf(violation["type"]),
      description: textOf(violation["description"]),
      ...(violation["subject"] ? { subject: textOf(violation["subject"]) } : {}),
    })),
    ...(details.some(isQuotaFailure)
      ? {
          quotaViolations: recordsOf(detail("QuotaFailure")["violations"]).map((violation) => ({
            subject: textOf(violation["subject"]),
            description: textOf(violation["description"]),
          })),
        }
      : {}),
  };
}

function isQuotaFailure(detail: Record<string, unknown>): boolean {
  return String(detail["@type"]).endsWith("google.rpc.QuotaFailure");
}

const codesThatProveNoEffect: ReadonlySet<CodeName> = new Set([
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "UNAUTHENTICATED",
]);

/** Whether a failed write is known to have had no effect. Otherwise it may have taken effect, or may still do so. */
export function provesNoEffect(problem: PlatformProblem): boolean {
  switch (problem.kind) {
    case "rejected":
      return codesThatProveNoEffect.has(problem.error.code);
    case "paused":
    case "suspended":
    case "credential":
    case "ownerMismatch":
    case "permissions":
    case "parentGone":
      return true;
    case "noResponse":
      return false;
  }
}

/** Whether the platform may have received the call. */
export function reachedPlatform({ kind }: PlatformProblem): boolean {
  return kind === "rejected" || kind === "noResponse" || kind === "parentGone";
}

/** Whether the platform rejected the call with this code. */
export function isRejection(error: unknown, code: CodeName): error is PlatformFailure {
  return error instanceof PlatformFailure && error.problem.kind === "rejected" && error.problem.error.code === code;
}

/**
 * Parses `Retry-After`, in seconds or as an HTTP date, into milliseconds from `now` (wall clock), at most one hour. Returns
 * undefined if the header is missing or invalid.
 */
export function parseBoundedRetryAfter(header: string | undefined, now: number): number | undefined {
  const requestedMs = parseRetryAfter(header, now);
  return requestedMs === undefined ? undefined : Math.min(requestedMs, hours(1));
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.slice(0, maxItems).filter(isJsonObject) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, maxTextLength) : "";
}
