import type { Logger } from "pino";
import { type ApiError, Code } from "../errors/api-error.ts";

/** A call that was refused. */
export interface Refusal {
  /** The name of the operation, or "unknown". */
  readonly operation: string;
  readonly error: ApiError;
  /** The address of the client. */
  readonly address: string;
  /** The uid of the identity, or "admin"; undefined if the caller was not authenticated. */
  readonly caller: string | undefined;
}

/** The codes of refusals: the caller is unknown, lacks a permission, or exceeds a limit. */
const refusals: ReadonlySet<number> = new Set([Code.unauthenticated, Code.permissionDenied, Code.resourceExhausted]);

/** How many refusals of one cause are logged in each period (ms). The rest is counted. */
const perPeriod = 10;
const period = 60_000;

/**
 * Logs refused calls at info, with their reason. A cause is an operation with a code, so the number of causes is bounded, and
 * nobody can fill the log.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #monotonic: () => number;
  readonly #causes = new Map<string, { startedAt: number; logged: number; suppressed: number }>();

  /** @param monotonic milliseconds since an arbitrary start */
  constructor(log: Logger, monotonic: () => number) {
    this.#log = log;
    this.#monotonic = monotonic;
  }

  record({ operation, error, address, caller }: Refusal): void {
    if (!refusals.has(error.code)) return;
    const key = `${operation} ${error.code}`;
    const now = this.#monotonic();
    const last = this.#causes.get(key);
    const isCurrent = last !== undefined && now - last.startedAt < period;
    const cause = isCurrent ? last : { startedAt: now, logged: 0, suppressed: last?.suppressed ?? 0 };
    if (!isCurrent) this.#causes.set(key, cause);
    if (cause.logged >= perPeriod) {
      cause.suppressed++;
      return;
    }
    cause.logged++;
    const { code, reason, message } = error;
    const suppressed = cause.suppressed === 0 ? {} : { suppressed: cause.suppressed };
    cause.suppressed = 0;
    this.#log.info({ operation, code, reason, cause: message, address, caller, ...suppressed }, "call refused");
  }
}
