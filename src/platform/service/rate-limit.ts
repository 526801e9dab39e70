import type { WallClock } from "#src/time/wall-clock.ts";
import { resourceExhausted } from "../errors/api-error.ts";

/** The maximum number of buckets. Beyond it, the buckets of identities that are far from their limit are evicted. */
const maximumBuckets = 10_000;

interface Bucket {
  /** The calls that can be made at once. */
  calls: number;
  /** The time of that number, in milliseconds since the epoch. */
  at: number;
}

/** Limits the calls per second of each identity with a token bucket. The burst is one second's calls. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #clock: WallClock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, clock: WallClock) {
    this.#perSecond = perSecond;
    this.#burst = Math.max(1, perSecond);
    this.#clock = clock;
  }

  /** @throws ApiError (8) with the seconds after which a call is admitted again */
  admit(identity: string): void {
    const now = this.#clock();
    const calls = this.#callsAt(this.#buckets.get(identity), now);
    if (calls < 1) throw resourceExhausted("too many calls by this identity", Math.ceil((1 - calls) / this.#perSecond));
    // The map is ordered by the last call, oldest first.
    this.#buckets.delete(identity);
    this.#buckets.set(identity, { calls: calls - 1, at: now });
    if (this.#buckets.size > maximumBuckets) this.#evict(now);
  }

  #callsAt(bucket: Bucket | undefined, now: number): number {
    if (bucket === undefined) return this.#burst;
    return Math.min(this.#burst, bucket.calls + (Math.max(0, now - bucket.at) / 1_000) * this.#perSecond);
  }

  /** Evicts full buckets, which equal new ones, or the oldest if there is none. */
  #evict(now: number): void {
    for (const [identity, bucket] of this.#buckets) {
      if (this.#callsAt(bucket, now) < this.#burst && this.#buckets.size <= maximumBuckets) return;
      this.#buckets.delete(identity);
    }
  }
}
