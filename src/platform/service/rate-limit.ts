import type { WallClock } from "#src/time/wall-clock.ts";
import { resourceExhausted } from "../errors/api-error.ts";

/** Identities that are remembered at once: beyond it, those that are far from their limit are forgotten. */
const maximumRemembered = 10_000;

interface Bucket {
  /** Calls that may still be made at once. */
  calls: number;
  /** When that was so, in milliseconds. */
  at: number;
}

/** So many calls a second for each identity, and as many at once as come in a second: a token bucket each. */
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

  /** @throws ApiError (8) with the seconds after which a call is let through again */
  admit(identity: string): void {
    const now = this.#clock();
    const calls = this.#callsAt(this.#buckets.get(identity), now);
    if (calls < 1) throw resourceExhausted("too many calls of this identity", Math.ceil((1 - calls) / this.#perSecond));
    // Last in the order of the map: who called least lately is first.
    this.#buckets.delete(identity);
    this.#buckets.set(identity, { calls: calls - 1, at: now });
    if (this.#buckets.size > maximumRemembered) this.#forget(now);
  }

  #callsAt(bucket: Bucket | undefined, now: number): number {
    if (bucket === undefined) return this.#burst;
    return Math.min(this.#burst, bucket.calls + (Math.max(0, now - bucket.at) / 1_000) * this.#perSecond);
  }

  /** Those with a full bucket are as good as unknown; where there is none, the oldest. */
  #forget(now: number): void {
    for (const [identity, bucket] of this.#buckets) {
      if (this.#callsAt(bucket, now) < this.#burst && this.#buckets.size <= maximumRemembered) return;
      this.#buckets.delete(identity);
    }
  }
}
