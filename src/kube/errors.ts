/** The API server's own description of a failure: `meta/v1.Status`, as far as it is read. */
export interface KubeStatus {
  readonly code?: number;
  /** CamelCase: `NotFound`, `Conflict`, `AlreadyExists`, `Expired`. */
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    /** Which fields are wrong, where it is about fields. */
    readonly causes?: readonly { readonly field?: string; readonly message?: string }[];
  };
}

export interface KubeErrorDetail {
  /** The call that failed, without names of objects: `patch groups/status`. */
  readonly call: string;
  /** HTTP status; 0 where no answer came: the network, a deadline, an answer that cannot be read. */
  readonly code: number;
  /** `Status.reason`; `NoAnswer` where there was none. */
  readonly reason: string;
  /** How long the API server asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The fields that the API server found wrong. */
  readonly fields?: readonly string[];
}

/** What every call to Kubernetes throws when it fails, but for an abort by its caller: that throws the signal's reason. */
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

  /** From a `Status` that came as an answer's body or as an ERROR event of a watch. */
  static fromStatus(call: string, status: KubeStatus, retryAfterMs?: number): KubeError {
    const seconds = status.details?.retryAfterSeconds;
    const wait = retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
    return new KubeError(
      {
        call,
        code: status.code ?? 500,
        reason: status.reason ?? "Unknown",
        ...(wait === undefined ? {} : { retryAfterMs: wait }),
        fields: (status.details?.causes ?? []).map(({ field }) => field ?? ""),
      },
      status.message ?? `HTTP ${status.code ?? 500}`,
    );
  }
}

export function isNotFound(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 404;
}

/** The object exists already (POST), told apart from a conflict of versions by its reason. */
export function isAlreadyExists(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 409 && error.reason === "AlreadyExists";
}

/**
 * A guard (resourceVersion or uid) did not hold. A patch with the uid of an object that was deleted and made again is
 * answered as an attempt to change it.
 */
export function isConflict(error: unknown): error is KubeError {
  if (!(error instanceof KubeError)) return false;
  return error.code === 409
    ? error.reason !== "AlreadyExists"
    : error.code === 422 && error.fields.includes("metadata.uid");
}

/** The version to watch or list from is no longer kept: list again. */
export function isGone(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 410;
}

export function isForbidden(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 403;
}

export function isInvalid(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 422 && !isConflict(error);
}

/** The API server asks for patience: 429, or 503. */
export function isThrottled(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.code === 429 || error.code === 503);
}

/** Nothing is known of the outcome: a write may have been applied or not. */
export function isUnanswered(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 0;
}
