/** The gRPC codes by number, as AIP-193 errors carry them. */
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

/** What an AIP-193 error says. */
export interface PlatformErrorBody {
  readonly code: CodeName;
  readonly message: string;
  readonly reason: string;
  readonly domain: string;
  readonly fieldViolations: readonly FieldViolation[];
  readonly preconditionViolations: readonly PreconditionViolation[];
}

/**
 * Why a call to the platform brought no result.
 * - `refused`: the platform answered with an AIP-193 error whose code fits the HTTP status.
 * - `unanswered`: anything else that came back, or nothing: whether the call took effect is not known.
 * - `held`: not sent, because the platform asked for a pause (Retry-After).
 * - `credential`: not sent, because there is no token: `unavailable` may pass by itself, `exchange` was refused.
 * - `rights`: the answer proves nothing, because the token does not cover what was asked.
 */
export type PlatformProblem =
  | { readonly kind: "refused"; readonly error: PlatformErrorBody; readonly retryAfterMs?: number }
  | { readonly kind: "noResponse"; readonly message: string; readonly retryAfterMs?: number }
  | { readonly kind: "paused"; readonly retryAfterMs: number }
  | { readonly kind: "credential"; readonly cause: "unavailable" | "exchange"; readonly message: string }
  | { readonly kind: "permissions"; readonly capability: string; readonly scope: string };

/** A failed call, with the call that failed. Never carries a token or what was sent. */
export class PlatformFailure extends Error {
  override readonly name = "PlatformFailure";
  readonly call: string;
  readonly problem: PlatformProblem;
  constructor(call: string, detail: PlatformProblem, options?: ErrorOptions) {
    super(`${call}: ${describe(detail)}`, options);
    this.call = call;
    this.problem = detail;
  }
}

function describe(detail: PlatformProblem): string {
  switch (detail.kind) {
    case "refused":
      return `${detail.error.code}: ${detail.error.message}`;
    case "noResponse":
    case "credential":
      return detail.message;
    case "paused":
      return `waiting ${Math.ceil(detail.retryAfterMs / 1000)} s, as the platform asked`;
    case "permissions":
      return `the operator's identity does not hold ${detail.capability} in ${detail.scope}`;
  }
}

/** The HTTP status that goes with each code; an answer whose two disagree is not believed. */
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

/** Reads an AIP-193 error body; undefined where `body` is not one or contradicts the HTTP status. */
export function parseErrorBody(status: number, body: unknown): PlatformErrorBody | undefined {
  if (!isRecord(body) || typeof body["code"] !== "number" || typeof body["message"] !== "string") return undefined;
  const code = codeNames[body["code"]];
  if (code === undefined || code === "OK" || (statusOfCode[body["code"]] ?? 500) !== status) return undefined;
  const details = Array.isArray(body["details"]) ? body["details"].filter(isRecord) : [];
  const detail = (type: string) => details.find((one) => String(one["@type"]).endsWith(`google.rpc.${type}`)) ?? {};
  return {
    code,
    message: body["message"],
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
  };
}

const refusalsThatProveNothingHappened: ReadonlySet<CodeName> = new Set([
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "UNIMPLEMENTED",
  "UNAUTHENTICATED",
]);

/** Whether a failed write is known not to have taken effect. After anything else it may have, or may still do so. */
export function provesNoEffect(detail: PlatformProblem): boolean {
  switch (detail.kind) {
    case "refused":
      return refusalsThatProveNothingHappened.has(detail.error.code);
    case "paused":
    case "credential":
    case "permissions":
      return true;
    case "noResponse":
      return false;
  }
}

export function isRefusal(error: unknown, code: CodeName): error is PlatformFailure {
  return error instanceof PlatformFailure && error.problem.kind === "refused" && error.problem.error.code === code;
}

/** How long the platform asked to wait, in milliseconds: `Retry-After` in seconds or as a date; capped at an hour. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), 3_600_000);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
