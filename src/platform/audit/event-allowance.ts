import { minutes } from "#src/time/durations.ts";

/** The period for which events are counted (ms). */
export const windowMs = minutes(1);

/** How many events are recorded in each window. */
export interface AllowanceLimits {
  /** Of one cause: the same thing from the same source. */
  readonly ofCause: number;
  /** Of one source, such as an address or a root group. */
  readonly ofSource: number;
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
  readonly #sources = new Map<string, number>();
  #windowStart = Number.NEGATIVE_INFINITY;
  #recorded = 0;
  #others = 0;
  #hasOmitted = false;

  constructor(limits: AllowanceLimits) {
    this.#limits = limits;
  }

  /** Whether events were left out and not reported. */
  get hasOmitted(): boolean {
    return this.#hasOmitted;
  }

  /** @returns whether to record the event @param now milliseconds of a monotonic clock */
  admits(event: E, cause: string, source: string, now: number): boolean {
    // A window in which events were left out ends when they are reported.
    if (now - this.#windowStart >= windowMs && !this.#hasOmitted) this.#restart(now);
    const known = this.#causes.get(cause);
    const { ofCause, ofSource, ofAll } = this.#limits;
    const fromSource = this.#sources.get(source) ?? 0;
    if ((known?.recorded ?? 0) >= ofCause || fromSource >= ofSource || this.#recorded >= ofAll) {
      this.#hasOmitted = true;
      if (known === undefined) this.#others += 1;
      else {
        known.omitted += 1;
        known.last = event;
      }
      return false;
    }
    this.#recorded += 1;
    this.#sources.set(source, fromSource + 1);
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

  #restart(now: number): void {
    this.#windowStart = now;
    this.#causes.clear();
    this.#sources.clear();
    this.#recorded = 0;
    this.#others = 0;
    this.#hasOmitted = false;
  }
}
