import type { Clock, MonotonicTime } from "#src/time/clock.ts";

/** A rate limit: up to `burst` tokens at once, refilled at `ratePerSecond`. It starts full. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #tokensPerMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: MonotonicTime;

  constructor(clock: Clock, ratePerSecond: number, burst: number) {
    this.#clock = clock;
    this.#tokensPerMs = ratePerSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = clock.monotonic();
  }

  /** The number of tokens that can be taken now. */
  get available(): number {
    return Math.floor(this.#fill());
  }

  /** Milliseconds until a token can be taken; 0 if one is available. */
  get untilNextMs(): number {
    return Math.max(0, 1 - this.#fill()) / this.#tokensPerMs;
  }

  /** Takes a token; the caller has made sure that one is available. */
  take(): void {
    this.#tokens -= 1;
  }

  #fill(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#tokensPerMs);
    this.#filledAt = now;
    // A rounding error must not cost a timer.
    return this.#tokens + 0.001;
  }
}
