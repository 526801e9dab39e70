import type { Clock, MonotonicTime } from "#src/time/clock.ts";

/**
 * Calls `onTimeout` once the time that was last allowed has passed. To allow as much again only reads the clock, so it may be
 * done for every event.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onTimeout: () => void;
  #deadline: MonotonicTime;
  #timerAt: MonotonicTime;
  #cancelTimer: () => void;

  constructor(clock: Clock, ms: number, onTimeout: () => void) {
    this.#clock = clock;
    this.#onTimeout = onTimeout;
    this.#deadline = this.#timerAt = clock.monotonic() + ms;
    this.#cancelTimer = this.#setTimer(ms);
  }

  /** From now on, `ms` may pass. */
  allow(ms: number): void {
    this.#deadline = this.#clock.monotonic() + ms;
    if (this.#deadline >= this.#timerAt) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#setTimer(ms);
  }

  stop(): void {
    this.#cancelTimer();
  }

  #setTimer(ms: number): () => void {
    this.#timerAt = this.#clock.monotonic() + ms;
    return this.#clock.setTimer(() => {
      const remainingMs = this.#deadline - this.#clock.monotonic();
      if (remainingMs <= 0) this.#onTimeout();
      else this.#cancelTimer = this.#setTimer(remainingMs);
    }, ms);
  }
}
