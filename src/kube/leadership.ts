import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import { isConflict, isNotFound } from "./errors.ts";
import type { Lease, LeaseClient } from "./lease-client.ts";

/**
 * How a process became the leader: there was no Lease (`created`), its holder had released it (`released`), or its
 * holder had stopped renewing it (`expired`), so that a request of that process may still take effect.
 */
export type Acquisition = "created" | "released" | "expired";

export interface Leadership {
  readonly acquired: Acquisition;
  /** Aborts with a `LeaseLost` as soon as leadership can no longer be relied on. */
  readonly signal: AbortSignal;
  /** Whether leadership can be relied on now. Check it before each write, because a timer may fire late. */
  held(): boolean;
  /**
   * Stops renewing. If `release` is true, the Lease is given back, so that another process can lead at once. A leader
   * that has aborted a write with an unknown outcome lets it expire instead, so that the next leader waits. Never
   * rejects.
   */
  stop(options: { readonly release: boolean }): Promise<void>;
}

/** Leadership can no longer be relied on: another process leads, or may soon. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

export interface LeaderOptions {
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly acquired: Acquisition;
  /** The Lease as this process has written it. */
  readonly lease: Lease;
  /** When that write was started. */
  readonly startedAt: MonotonicTime;
  readonly renewDeadlineMs: number;
  /** Returns the milliseconds until the next attempt. */
  readonly period: () => number;
  readonly onError: (error: unknown) => void;
}

const releaseDeadlineMs = seconds(2);

/** Renews a Lease until it is lost or `stop` is called. */
export class Leader implements Leadership {
  readonly acquired: Acquisition;
  readonly #options: LeaderOptions;
  readonly #lost = new AbortController();
  /** Aborted also when leadership is lost. */
  readonly #stopped = new AbortController();
  readonly #renewing: Promise<void>;
  #lease: Lease;
  /** When the last successful renewal was started. */
  #renewedAt: MonotonicTime;
  #cancelDeadline: () => void;

  constructor(options: LeaderOptions) {
    this.#options = options;
    this.acquired = options.acquired;
    this.#lease = options.lease;
    this.#renewedAt = options.startedAt;
    this.#cancelDeadline = this.#setDeadline();
    // Rejects only when the sleep between two renewals is aborted.
    this.#renewing = this.#renewUntilStopped().catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  held(): boolean {
    return !this.#stopped.signal.aborted && this.#options.clock.monotonic() < this.#deadline;
  }

  async stop({ release }: { readonly release: boolean }): Promise<void> {
    this.#stopped.abort();
    this.#cancelDeadline();
    await this.#renewing;
    if (release && !this.#lost.signal.aborted) await this.#release();
  }

  get #deadline(): MonotonicTime {
    return this.#renewedAt + this.#options.renewDeadlineMs;
  }

  #setDeadline(): () => void {
    const { clock, renewDeadlineMs } = this.#options;
    const lose = () => this.#lose(new LeaseLost(`the Lease was not renewed for ${renewDeadlineMs} ms`));
    return clock.setTimer(lose, this.#deadline - clock.monotonic());
  }

  #lose(reason: LeaseLost): void {
    this.#stopped.abort();
    this.#cancelDeadline();
    this.#lost.abort(reason);
  }

  async #renewUntilStopped(): Promise<void> {
    const { clock, period, onError } = this.#options;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await clock.sleep(period(), signal);
      const startedAt = clock.monotonic();
      try {
        this.#lease = await this.#renew(signal);
        if (signal.aborted) return;
        this.#renewedAt = startedAt;
        this.#cancelDeadline();
        this.#cancelDeadline = this.#setDeadline();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLost) this.#lose(error);
        else onError(error);
      }
    }
  }

  /** @throws {LeaseLost} if the Lease was deleted or another process holds it. */
  async #renew(signal: AbortSignal): Promise<Lease> {
    const { client, renewDeadlineMs } = this.#options;
    const call = { signal, deadlineMs: renewDeadlineMs / 2 };
    try {
      return await client.claim(this.#lease, call);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    // Somebody has written the Lease, perhaps this process, in a renewal whose response was lost.
    const found = await client.get(call).catch((error: unknown) => {
      throw isNotFound(error) ? new LeaseLost("the Lease was deleted") : error;
    });
    if (!client.isOurs(found)) throw new LeaseLost(`the Lease is held by ${found.spec?.holderIdentity || "nobody"}`);
    return client.claim(found, call);
  }

  async #release(): Promise<void> {
    const { client, onError } = this.#options;
    const call = { signal: new AbortController().signal, deadlineMs: releaseDeadlineMs };
    try {
      const found = await client.get(call);
      if (client.isOurs(found)) await client.release(found, call);
    } catch (error) {
      onError(error);
    }
  }
}
