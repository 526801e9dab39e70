import type { Clock, MonotonicTime } from "#src/time/clock.ts";

/**
 * Calls `onTimeout` once `timeoutMs` have passed since the last `reset`. A reset only reads the clock, so it may be
 * called for every event.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onTimeout: () => void;
  #resetAt: MonotonicTime;
  #cancelTimer: () => void;

  constructor(clock: Clock, timeoutMs: number, onTimeout: () => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onTimeout = onTimeout;
    this.#resetAt = clock.monotonic();
    this.#cancelTimer = this.#setTimer(timeoutMs);
  }

  reset(): void {
    this.#resetAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#cancelTimer();
  }

  #setTimer(ms: number): () => void {
    return this.#clock.setTimer(() => {
      const remainingMs = this.#resetAt + this.#timeoutMs - this.#clock.monotonic();
      if (remainingMs <= 0) this.#onTimeout();
      else this.#cancelTimer = this.#setTimer(remainingMs);
    }, ms);
  }
}
