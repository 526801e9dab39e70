import { setTimeout as sleep } from "node:timers/promises";
import type { WallClock } from "#src/time/wall-clock.ts";
import { BoundedCache, type CacheBounds } from "../limits/bounded-cache.ts";

/** Ages of a value, counted from the request for it, and other times; all in milliseconds. */
export interface RevalidationTimes {
  /** From this age on, a value is requested again while it is used. */
  readonly refresh: number;
  /** From this age on, a value is used only if its source is unavailable. */
  readonly fresh: number;
  /** From this age on, a value is not used. */
  readonly maximum: number;
  /** How long those who need a value that is not fresh wait for its source. */
  readonly wait: number;
  /** How long nothing is requested after a failure. */
  readonly failure: number;
  /** How long nobody waits for the source after a failure, if there is a value. */
  readonly unavailable: number;
}

interface Options<V> {
  readonly times: RevalidationTimes;
  readonly bounds: CacheBounds;
  readonly clock: WallClock;
  /** An estimate of the memory of a value and its key. */
  readonly bytesOf: (key: string, value: V) => number;
  /** Whether a failure says nothing about the value. After other failures, the value is used only while it is fresh. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Whether nothing was requested, because of the caller alone: it does not concern others, and is not remembered. */
  readonly isRefused: (error: unknown) => boolean;
}

/** A request for a value. */
interface Attempt<V> {
  readonly startedAt: number;
  readonly value: Promise<V>;
  state: "pending" | "succeeded" | "failed" | "refused";
  endedAt: number;
}

interface Known<V> {
  readonly value: V;
  readonly requestedAt: number;
  latest: Attempt<V>;
  /** Whether the source has responded with something else. */
  isContradicted: boolean;
}

/** Requests for values that are not known, and their failures, are bounded by themselves: they evict no value. */
const attemptBounds: CacheBounds = { entries: 1_000, bytes: 4 * 1024 * 1024 };
/** An estimate of the memory of an attempt. */
const attemptBytes = 1_024;

/**
 * A cache of values whose sources may be slow or unavailable (RFC 5861: stale-while-revalidate, stale-if-error).
 *
 * *Guarantees*: a value is requested once at a time. While a value is used regularly, nobody waits for its source. A value of the age
 * `fresh` is used only while its source is unavailable or does not respond within `wait`, and none of the age `maximum`. After the
 * source has responded with something else than a value, an earlier value is used only while it is fresh. A caller whose own request was
 * refused fails alone.
 */
export class RevalidatedCache<V> {
  readonly #options: Options<V>;
  readonly #known: BoundedCache<string, Known<V>>;
  /** The latest attempts for values that are not known. */
  readonly #attempts = new BoundedCache<string, Attempt<V>>(attemptBounds);

  constructor(options: Options<V>) {
    this.#options = options;
    this.#known = new BoundedCache(options.bounds);
  }

  /** An estimate of the memory of the values. */
  get bytes(): number {
    return this.#known.bytes;
  }

  /**
   * @param request requests the value. It throws at once if nothing can be requested now, which does not count as a failure.
   * @throws what `request` throws, if there is no value to use instead
   */
  async get(key: string, request: () => Promise<V>): Promise<V> {
    const { times, isUnavailable } = this.#options;
    const known = this.#known.get(key);
    const age = known === undefined ? times.maximum : this.#since(known.requestedAt);
    const maximum = known?.isContradicted === true ? times.fresh : times.maximum;
    if (known === undefined || age >= maximum) return this.#latest(key, request);
    if (age < times.refresh) return known.value;
    const { state, endedAt } = known.latest;
    const failedLately = state === "failed" && this.#since(endedAt) < times.unavailable;
    try {
      const latest = this.#latest(key, request);
      if (age >= times.fresh && !failedLately) return await inTime(latest, times.wait, known.value);
      latest.catch(() => {});
    } catch (error) {
      if (age >= times.fresh && !isUnavailable(error)) throw error;
    }
    return known.value;
  }

  /**
   * A value that was requested less than an interval ago, for those who cannot use the known one.
   * @throws what the latest request threw
   */
  renewed(key: string, request: () => Promise<V>, interval: number): Promise<V> {
    const latest = this.#latestAttempt(key);
    const isRecent = latest !== undefined && latest.state !== "refused" && this.#since(latest.startedAt) <= interval;
    return isRecent ? this.#shared(latest, () => this.renewed(key, request, interval)) : this.#start(key, request);
  }

  /** When the latest request for a value began, in milliseconds since the epoch; undefined if there was none. */
  requestedAt(key: string): number | undefined {
    return this.#latestAttempt(key)?.startedAt;
  }

  /** The attempt that is pending, or failed a short time ago; otherwise a new one. */
  #latest(key: string, request: () => Promise<V>): Promise<V> {
    const latest = this.#latestAttempt(key);
    const { failure } = this.#options.times;
    const stands =
      latest?.state === "pending" || (latest?.state === "failed" && this.#since(latest.endedAt) <= failure);
    return stands ? this.#shared(latest, () => this.#latest(key, request)) : this.#start(key, request);
  }

  /** The value of an attempt of another caller. If that caller was refused, the next one makes an attempt of its own. */
  async #shared(attempt: Attempt<V>, again: () => Promise<V>): Promise<V> {
    try {
      return await attempt.value;
    } catch (error) {
      if (this.#options.isRefused(error)) return again();
      throw error;
    }
  }

  #latestAttempt(key: string): Attempt<V> | undefined {
    return this.#known.get(key)?.latest ?? this.#attempts.get(key);
  }

  #start(key: string, request: () => Promise<V>): Promise<V> {
    const { bytesOf, clock, isUnavailable, isRefused } = this.#options;
    const startedAt = clock();
    const earlier = this.#latestAttempt(key);
    const value = request();
    const attempt: Attempt<V> = { startedAt, value, state: "pending", endedAt: startedAt };
    this.#setLatest(key, attempt);
    const end = (state: Attempt<V>["state"]) => {
      attempt.state = state;
      attempt.endedAt = clock();
    };
    value.then(
      (requested) => {
        end("succeeded");
        this.#attempts.delete(key);
        const known = { value: requested, requestedAt: startedAt, latest: attempt, isContradicted: false };
        this.#known.set(key, known, bytesOf(key, requested));
      },
      (error: unknown) => {
        if (isRefused(error)) {
          end("refused");
          if (this.#latestAttempt(key) === attempt) this.#setLatest(key, earlier);
          return;
        }
        end("failed");
        const known = this.#known.get(key);
        if (known !== undefined && !isUnavailable(error)) known.isContradicted = true;
      },
    );
    return value;
  }

  #setLatest(key: string, attempt: Attempt<V> | undefined): void {
    const known = this.#known.get(key);
    if (attempt === undefined) this.#attempts.delete(key);
    else if (known === undefined) this.#attempts.set(key, attempt, attemptBytes + 2 * key.length);
    else known.latest = attempt;
  }

  #since(time: number): number {
    return this.#options.clock() - time;
  }
}

/** The value, or another one if it takes too long. */
async function inTime<V>(value: Promise<V>, milliseconds: number, otherwise: V): Promise<V> {
  const stopWaiting = new AbortController();
  const tooLate = sleep(milliseconds, otherwise, { signal: stopWaiting.signal });
  // It is rejected when nobody waits for it any more.
  tooLate.catch(() => {});
  try {
    return await Promise.race([value, tooLate]);
  } finally {
    stopWaiting.abort();
  }
}
