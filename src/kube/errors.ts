import { minutes } from "#src/time/durations.ts";

/** The API server's description of a failure: the fields of a `meta/v1.Status` that are used. */
export interface KubeStatus {
  readonly code?: number;
  /** CamelCase: `NotFound`, `Conflict`, `AlreadyExists`, `Expired`. */
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    /** The invalid fields, if the failure is about fields. */
    readonly causes?: readonly { readonly field?: string; readonly message?: string }[];
  };
}

export interface KubeErrorDetail {
  /** The call that failed, without names of objects: `patch groups/status`. */
  readonly call: string;
  /**
   * The HTTP status; 0 if there is no usable response (network error, deadline, unreadable body), so that the outcome of
   * a write is unknown.
   */
  readonly code: number;
  /** `Status.reason`; `NoResponse` if there is no usable response, `ResponseTooLarge` if it is larger than the client reads. */
  readonly reason: string;
  /** The time before which the API server asks us not to retry, in milliseconds; at most 5 minutes. */
  readonly retryAfterMs?: number;
  /** The fields that the API server reports as invalid. */
  readonly fields?: readonly string[];
}

/** A longer pause, which a proxy may ask for, would leave objects without service after the API server is back. */
const maxRetryAfterMs = minutes(5);
/** An error is kept for each object that it concerns. A message that quotes a whole object would be as long as the object. */
const maxMessageLength = 32_768;
const maxFields = 64;

/** A failed call to Kubernetes. (A call that its caller aborts throws the signal's reason instead.) */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly call: string;
  readonly code: number;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly fields: readonly string[];

  constructor(detail: KubeErrorDetail, message: string, options?: ErrorOptions) {
    super(`${detail.call}: ${message}`, options);
    this.call = detail.call;
    this.code = detail.code;
    this.reason = detail.reason;
    this.retryAfterMs = detail.retryAfterMs;
    this.fields = detail.fields ?? [];
  }

  /** There is no usable response; `problem` says why. The outcome of a write is unknown. */
  static noResponse(call: string, problem: string, cause?: unknown): KubeError {
    return new KubeError({ call, code: 0, reason: "NoResponse" }, problem, cause === undefined ? {} : { cause });
  }

  /** The response is larger than the client reads. The outcome of a write is unknown. */
  static tooLarge(call: string, maxBytes: number, cause: unknown): KubeError {
    const problem = `the response is larger than ${maxBytes / 2 ** 20} MiB`;
    return new KubeError({ call, code: 0, reason: "ResponseTooLarge" }, problem, { cause });
  }

  /** Converts a `Status` from the body of a response or from an ERROR event of a watch. */
  static fromStatus(call: string, status: KubeStatus, retryAfterMs?: number): KubeError {
    const message: unknown = status.message;
    const seconds = status.details?.retryAfterSeconds;
    const requestedMs = retryAfterMs ?? (typeof seconds === "number" ? seconds * 1000 : undefined);
    const delayMs = requestedMs === undefined ? undefined : Math.min(Math.max(requestedMs, 0), maxRetryAfterMs);
    return new KubeError(
      {
        call,
        code: status.code ?? 500,
        reason: status.reason ?? "Unknown",
        ...(delayMs === undefined ? {} : { retryAfterMs: delayMs }),
        fields: (status.details?.causes ?? []).slice(0, maxFields).map(({ field }) => field ?? ""),
      },
      // The JSON of a proxy may have another value of this name.
      typeof message === "string" ? message.slice(0, maxMessageLength) : `HTTP ${status.code ?? 500}`,
    );
  }
}

export function isNotFound(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 404;
}

/** A create failed because the object exists. The code is that of a conflict; the reason distinguishes them. */
export function isAlreadyExists(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 409 && error.reason === "AlreadyExists";
}

/**
 * A precondition (resourceVersion or uid) failed. If the object was deleted and re-created, the API server rejects a
 * patch with the old uid as an attempt to change the uid (422).
 */
export function isConflict(error: unknown): error is KubeError {
  if (!(error instanceof KubeError)) return false;
  return error.code === 409
    ? error.reason !== "AlreadyExists"
    : error.code === 422 && error.fields.includes("metadata.uid");
}

/** The version to watch from, or the list's continue token, has expired: list again. */
export function isGone(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 410;
}

export function isForbidden(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 403;
}

/**
 * The API server understood the request and does not do it: a permission is missing or a quota is exceeded (403), or an
 * admission policy, a webhook or the schema rejects the object (400, 403, 413, 422). Nothing was written.
 */
export function isRefused(error: unknown): error is KubeError {
  return error instanceof KubeError && refusalCodes.has(error.code) && !isConflict(error);
}

const refusalCodes: ReadonlySet<number> = new Set([400, 403, 413, 422]);

/** The response to a read is larger than the client reads: fewer objects may fit. */
export function isTooLarge(error: unknown): error is KubeError {
  return error instanceof KubeError && error.reason === "ResponseTooLarge";
}

/** A list or watch failed because of a missing permission, or because the API server does not serve the resource. */
export function isUnreadable(error: unknown): error is KubeError {
  return isForbidden(error) || isNotFound(error);
}

/** The API server is overloaded or unavailable: 429 or 503. */
export function isThrottled(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.code === 429 || error.code === 503);
}
