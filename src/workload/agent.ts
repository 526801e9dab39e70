import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import { ExchangeFailure } from "./exchange-failure.ts";
import { type ApiToken } from "./token-service.ts";
import type { LineLog } from "./line-log.ts";
import { renewAfterMs, retryAfterMs } from "./renewal.ts";
import type { SubjectToken } from "./subject-token.ts";
import type { TokenFiles } from "./token-files.ts";
import type { TokenStatus } from "./token-status.ts";

export interface AgentOptions {
  readonly identity: string;
  /** Called for each attempt, and every 30 s to see whether the token changed. */
  readonly readSubjectToken: () => SubjectToken;
  /** @throws {ExchangeFailure} */
  readonly exchange: (subject: SubjectToken, signal: AbortSignal) => Promise<ApiToken>;
  readonly files: TokenFiles;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly log: LineLog;
  /** Called before each pause between two attempts. */
  readonly beforePause?: () => void;
}

/** How often the file of the subject token is read. */
const pollMs = seconds(30);

/**
 * Keeps a token of the platform in a file.
 *
 * Guarantees: the file is never partial, and once written it is never missing. A token is written only if it is complete and
 * has not expired. While renewal fails, the last token stays, even after it has expired: an application then gets the
 * platform's UNAUTHENTICATED, and finds the reason in the status next to the token. With tokens of one hour, an outage of up
 * to 20 minutes does not let a token expire.
 *
 * A change of the subject token in anything but time (issuer, subject, audience, pod, key) renews the token at once: what the
 * earlier one vouched for may end, for example when an issuer's key is removed from the identity.
 */
export class Agent {
  readonly #options: AgentOptions;
  #status: TokenStatus;
  #failures = 0;
  /** Of the subject token of the last attempt. Undefined if it could not be read. */
  #fingerprint: string | undefined;
  /** Aborts the present pause, or the next one if an attempt is being made. */
  #renewalRequest = new AbortController();

  constructor(options: AgentOptions) {
    this.#options = options;
    // A container that restarts finds the token that it wrote before.
    const earlier = options.files.readStatus();
    this.#status = earlier?.identity === options.identity ? earlier : { identity: options.identity };
  }

  /** Runs until `signal` aborts, and then rejects with its reason. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const delayMs = await this.#renew(signal);
      this.#options.beforePause?.();
      await this.#wait(delayMs, signal);
    }
  }

  /** Ends the present pause. During an attempt, another one follows: the token of this one may be older than the reason. */
  renewNow(): void {
    this.#renewalRequest.abort();
  }

  /** Makes one attempt. @returns the pause until the next one, in milliseconds */
  async #renew(signal: AbortSignal): Promise<number> {
    const { clock, exchange, files, identity, log, random, readSubjectToken } = this.#options;
    this.#fingerprint = undefined;
    try {
      const subject = readSubjectToken();
      this.#fingerprint = subject.fingerprint;
      const token = await exchange(subject, signal);
      const expiry = new Date(token.expiresAt).toISOString();
      const status: TokenStatus = { identity, expiry, renewed: new Date(clock.now()).toISOString() };
      files.write(token.value, status);
      this.#status = status;
      this.#failures = 0;
      const delayMs = renewAfterMs(token.expiresAt - clock.now(), random);
      log.info("token renewed", { identity, expiry, nextAttemptSeconds: Math.round(delayMs / 1000) });
      return delayMs;
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#fail(error);
    }
  }

  #fail(error: unknown): number {
    const { clock, files, identity, log, random } = this.#options;
    const message = error instanceof Error ? error.message : String(error);
    const remainingMs = Math.max(Date.parse(this.#status.expiry ?? "") - clock.now() || 0, 0);
    const { refused, retryAfterMs: requestedMs } =
      error instanceof ExchangeFailure ? error : { refused: false, retryAfterMs: 0 };
    this.#failures += 1;
    const delayMs = retryAfterMs({ failures: this.#failures, refused, remainingMs, requestedMs }, random);
    const fields = { identity, reason: message, nextAttemptSeconds: Math.round(delayMs / 1000) };
    if (remainingMs > 0)
      log.warn("renewing the token failed; the last one stays in place", {
        ...fields,
        expiry: this.#status.expiry ?? "",
      });
    else log.error("getting a token failed; the application has no valid one", fields);
    const since = this.#status.failure?.since ?? new Date(clock.now()).toISOString();
    if (this.#status.failure?.message !== message) {
      this.#status = { ...this.#status, failure: { since, message } };
      try {
        files.writeStatus(this.#status);
      } catch (cause) {
        log.error("writing the status of the token failed", { reason: (cause as Error).message });
      }
    }
    return delayMs;
  }

  /**
   * Resolves after `delayMs`, or earlier if a renewal is requested, the subject token changes or the wall clock passes that
   * time.
   */
  async #wait(delayMs: number, signal: AbortSignal): Promise<void> {
    const requested = this.#renewalRequest.signal;
    try {
      await this.#pause(delayMs, AbortSignal.any([signal, requested]));
    } catch (error) {
      if (signal.aborted || !requested.aborted) throw error;
      this.#renewalRequest = new AbortController();
      this.#options.log.info("renewal requested");
    }
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const due = clock.monotonic() + delayMs;
    // The monotonic clock stops while a machine is suspended, and the wall clock can be set back: the earlier one counts.
    const dueByWall = clock.now() + delayMs;
    while (clock.monotonic() < due && clock.now() < dueByWall) {
      await clock.sleep(Math.min(pollMs, due - clock.monotonic()), signal);
      if (this.#subjectChanged()) {
        log.info("the workload's own token changed");
        return;
      }
    }
  }

  #subjectChanged(): boolean {
    try {
      return this.#options.readSubjectToken().fingerprint !== this.#fingerprint;
    } catch {
      // The next attempt reports it.
      return false;
    }
  }
}
