import type { Logger } from "pino";
import { minutes } from "#src/time/durations.ts";
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

const windowMs = minutes(1);
/** How many refusals are logged in each window: of one cause, and of all. The rest is counted. */
const maximumLines = { ofCause: 10, ofAll: 200 };

/**
 * Logs refused calls at info, with their reason and what only the host may know. A cause is an operation with a code, and the
 * subject if there is one, so that the refusals of one identity do not hide those of others. Nobody can fill the log.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #monotonic: () => number;
  /** The lines of each cause in this window. It has at most as many entries as lines. */
  readonly #lines = new Map<string, number>();
  #windowStart = Number.NEGATIVE_INFINITY;
  #total = 0;
  #suppressed = 0;

  /** @param monotonic milliseconds since an arbitrary start */
  constructor(log: Logger, monotonic: () => number) {
    this.#log = log;
    this.#monotonic = monotonic;
  }

  record({ operation, error, address, caller }: Refusal): void {
    if (!refusals.has(error.code)) return;
    const now = this.#monotonic();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#lines.clear();
      this.#total = 0;
    }
    const { code, reason, message, explanation } = error;
    const cause = `${operation} ${code} ${explanation?.subject}`;
    const logged = this.#lines.get(cause) ?? 0;
    if (logged >= maximumLines.ofCause || this.#total >= maximumLines.ofAll) {
      this.#suppressed += 1;
      return;
    }
    this.#lines.set(cause, logged + 1);
    this.#total += 1;
    const suppressed = this.#suppressed === 0 ? {} : { suppressed: this.#suppressed };
    this.#suppressed = 0;
    const fields = { operation, code, reason, cause: message, address, caller, ...explanation?.fields, ...suppressed };
    this.#log.info(fields, "call refused");
  }
}
