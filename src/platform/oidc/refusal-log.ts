import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import { minutes } from "#src/time/durations.ts";
import type { SubjectToken } from "../tokens/subject-token.ts";

/** The exchange of a subject token that was refused. */
export interface Refusal {
  /** The uid of the identity that was to be assumed; undefined if there is none with the uid that the caller sent. */
  readonly identity: string | undefined;
  /** What does not fit, for the host of the platform: the caller learns less. */
  readonly reason: string;
  readonly token: Pick<SubjectToken, "issuer" | "subject" | "audiences">;
}

const windowMs = minutes(1);
/** Different refusals that are logged in one window: anybody can cause one. */
const maxLines = 100;
const maxTextLength = 400;
const maxAudiences = 10;

/**
 * Logs refused exchanges, because the response does not say what does not fit. Each identity and reason is logged once a
 * minute at most, with how many lines were left out since the last one, and at most 100 lines a minute are written. The
 * claims in a line were not verified.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #clock: WallClock;
  readonly #logged = new Set<string>();
  #windowStart = 0;
  #omitted = 0;

  constructor(log: Logger, clock: WallClock) {
    this.#log = log;
    this.#clock = clock;
  }

  record({ identity, reason, token }: Refusal): void {
    const now = this.#clock();
    if (now - this.#windowStart >= windowMs || now < this.#windowStart) {
      this.#windowStart = now;
      this.#logged.clear();
    }
    const key = `${identity} ${reason}`;
    if (this.#logged.has(key) || this.#logged.size >= maxLines) {
      this.#omitted += 1;
      return;
    }
    this.#logged.add(key);
    const [issuer, subject] = [bounded(token.issuer), bounded(token.subject)];
    const audiences = token.audiences.slice(0, maxAudiences).map(bounded);
    const omitted = this.#omitted === 0 ? {} : { omitted: this.#omitted };
    this.#log.warn({ identity, reason, issuer, subject, audiences, ...omitted }, "token exchange refused");
    this.#omitted = 0;
  }
}

function bounded(text: string): string {
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength).toWellFormed()}…`;
}
