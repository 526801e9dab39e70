import { minutes } from "#src/time/durations.ts";
import { Pool } from "../shares/pool.ts";
import type { Share, ShareScope } from "../shares/share.ts";

/** The period for which events are counted (ms). */
export const windowMs = minutes(1);

/** How many events are recorded in each window. */
export interface AllowanceLimits {
  /** Of one cause: the same thing from the same source. */
  readonly ofCause: number;
  /** Of one share, such as that of an address or a root group. */
  readonly ofShare: Readonly<Partial<Record<ShareScope, number>>>;
  /** Of all together, who share what is left of it. It is enough for many full shares, so that a few cannot use it up. */
  readonly ofAll: number;
}

interface Cause<E> {
  recorded: number;
  omitted: number;
  last: E;
}

/** The events that were left out in a window. */
export interface Omitted<E> {
  /** The last event of each cause of which some were recorded, and how many were left out. */
  readonly ofCauses: readonly { readonly last: E; readonly omitted: number }[];
  /** How many of all other causes were left out. */
  readonly others: number;
}

/**
 * Decides which events are recorded, and counts those that are left out, so that nobody can fill the log or hide the events of
 * others. Its size is bounded: it remembers causes of which events were recorded, and no others.
 */
export class EventAllowance<E> {
  readonly #limits: AllowanceLimits;
  readonly #causes = new Map<string, Cause<E>>();
  /** How many events were recorded of each share. */
  readonly #recorded = new Map<string, number>();
  #pool: Pool;
  #windowStart = Number.NEGATIVE_INFINITY;
  #others = 0;
  #hasOmitted = false;

  constructor(limits: AllowanceLimits) {
    this.#limits = limits;
    this.#pool = new Pool(limits.ofAll);
  }

  /** Whether events were left out and not reported. */
  get hasOmitted(): boolean {
    return this.#hasOmitted;
  }

  /**
   * @param shares of those who caused the event
   * @param now milliseconds of a monotonic clock
   * @returns whether to record the event
   */
  admits(event: E, cause: string, shares: readonly Share[], now: number): boolean {
    // A window in which events were left out ends when they are reported.
    if (now - this.#windowStart >= windowMs && !this.#hasOmitted) this.#restart(now);
    const known = this.#causes.get(cause);
    if ((known?.recorded ?? 0) >= this.#limits.ofCause || !this.#take(shares)) {
      this.#hasOmitted = true;
      if (known === undefined) this.#others += 1;
      else {
        known.omitted += 1;
        known.last = event;
      }
      return false;
    }
    if (known === undefined) this.#causes.set(cause, { recorded: 1, omitted: 0, last: event });
    else known.recorded += 1;
    return true;
  }

  /** Ends the window. @returns the events that were left out in it */
  takeOmitted(now: number): Omitted<E> {
    const ofCauses = [...this.#causes.values()].filter(({ omitted }) => omitted > 0);
    const others = this.#others;
    this.#restart(now);
    return { ofCauses, others };
  }

  /** @returns whether every share had room for an event */
  #take(shares: readonly Share[]): boolean {
    const { ofShare } = this.#limits;
    const recorded = (key: string) => this.#recorded.get(key) ?? 0;
    if (shares.some(({ scope, key }) => recorded(key) >= (ofShare[scope] ?? Number.POSITIVE_INFINITY))) return false;
    if (this.#pool.take(shares) !== undefined) return false;
    for (const { key } of shares) this.#recorded.set(key, recorded(key) + 1);
    return true;
  }

  #restart(now: number): void {
    this.#windowStart = now;
    this.#causes.clear();
    this.#recorded.clear();
    this.#pool = new Pool(this.#limits.ofAll);
    this.#others = 0;
    this.#hasOmitted = false;
  }
}
