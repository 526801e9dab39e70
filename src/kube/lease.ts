import type { MonotonicTime } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import { isAlreadyExists, isConflict, isNotFound } from "./errors.ts";
import { type Acquisition, Leader, type Leadership } from "./leadership.ts";
import { type Lease, LeaseClient, type LeaseClientOptions } from "./lease-client.ts";

export interface LeaseOptions extends LeaseClientOptions {
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** How long other processes wait after the last renewal that they saw, in whole seconds; default: 15 s. */
  readonly durationMs?: number;
  /** A leader that has not renewed for this long stops leading; well below `durationMs`. Default: 10 s. */
  readonly renewDeadlineMs?: number;
  /** The time between two attempts; default: 2 s. */
  readonly retryPeriodMs?: number;
  /** Reports a failed attempt, for the log. */
  readonly onError?: (error: unknown) => void;
}

/** Attempts are delayed by up to this share of the period, so that candidates do not collide. */
const jitter = 0.2;

/**
 * Waits until this process is the leader: leader election with one Lease.
 *
 * *Expected flow*: a candidate reads the Lease every 2 s and takes it if nobody holds it; the leader renews it every
 * 2 s, and releases it when it stops.
 *
 * *Guarantees*: no two processes rely on leadership at the same time. A leader stops `renewDeadlineMs` after it started
 * its last successful renewal; another process takes over no earlier than the Lease's duration after it first saw that
 * renewal. Both measure with their own monotonic clock, never with the times in the Lease.
 *
 * *Assumptions*: the clocks of all processes run at about the same rate, and identities are unique.
 *
 * *Caveats*: a lease is not a fence. A request that is in flight when leadership is lost may still take effect, so every
 * write must be safe when two leaders run.
 *
 * *Errors*: every failed attempt is reported to `onError` and retried.
 * @returns once this process leads; rejects only with the reason of `signal`.
 */
export function acquireLease(options: LeaseOptions, signal: AbortSignal): Promise<Leadership> {
  return new Candidate(options).acquire(signal);
}

class Candidate {
  readonly #options: LeaseOptions;
  readonly #client: LeaseClient;
  readonly #durationMs: number;
  readonly #renewDeadlineMs: number;
  /** The version of the other holder's last renewal, and when this process first saw it. */
  #lastRenewal: { readonly version: string | undefined; readonly seenAt: MonotonicTime } | undefined;
  /** What the last attempt would have been, in case that it succeeded and its response was lost. */
  #lastAttempt: Acquisition = "expired";

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#durationMs = options.durationMs ?? seconds(15);
    this.#renewDeadlineMs = options.renewDeadlineMs ?? seconds(10);
    this.#client = new LeaseClient(options, this.#durationMs);
  }

  async acquire(signal: AbortSignal): Promise<Leadership> {
    const { clock, onError = () => undefined } = this.#options;
    const period = () => this.#period();
    for (;;) {
      const startedAt = clock.monotonic();
      try {
        const lease = await this.#tryToAcquire(signal);
        if (lease !== undefined)
          return new Leader({
            client: this.#client,
            clock,
            acquired: this.#lastAttempt,
            lease,
            startedAt,
            renewDeadlineMs: this.#renewDeadlineMs,
            period,
            onError,
          });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        // Another candidate was faster.
        if (!isConflict(error) && !isAlreadyExists(error)) onError(error);
      }
      await clock.sleep(period(), signal);
    }
  }

  /** @returns the Lease as this process has written it; undefined while another process holds it. */
  async #tryToAcquire(signal: AbortSignal): Promise<Lease | undefined> {
    const call = { signal, deadlineMs: this.#renewDeadlineMs / 2 };
    let found: Lease;
    try {
      found = await this.#client.get(call);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#lastAttempt = "created";
      return this.#client.create(call);
    }
    if (!this.#client.isOurs(found)) {
      const released = (found.spec?.holderIdentity ?? "") === "";
      if (!released && !this.#hasExpired(found)) return undefined;
      this.#lastAttempt = released ? "released" : "expired";
    }
    return this.#client.claim(found, call);
  }

  #hasExpired({ metadata, spec }: Lease): boolean {
    const now = this.#options.clock.monotonic();
    if (this.#lastRenewal === undefined || this.#lastRenewal.version !== metadata.resourceVersion)
      this.#lastRenewal = { version: metadata.resourceVersion, seenAt: now };
    const durationSeconds = spec?.leaseDurationSeconds ?? 0;
    return now - this.#lastRenewal.seenAt >= (durationSeconds > 0 ? seconds(durationSeconds) : this.#durationMs);
  }

  #period(): number {
    const { retryPeriodMs = seconds(2), random } = this.#options;
    return retryPeriodMs * (1 + jitter * random());
  }
}
