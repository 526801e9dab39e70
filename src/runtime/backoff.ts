import { minutes } from "#src/time/durations.ts";

/** The window after the first failure, and the largest one. */
const baseMs = 250;
const maxMs = minutes(5);
/** Keys with the same Retry-After are spread over this share of it, so that they do not all retry at once. */
const retryAfterSpread = 0.1;

/** The delay of a key after a failure: full jitter in a window that doubles with each consecutive failure. */
export class Backoff {
  readonly #failures = new Map<string, number>();
  readonly #random: () => number;

  /** @param random returns a number in [0, 1). */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Records a failure. @returns the milliseconds to wait, never less than `retryAfterMs`. */
  next(key: string, retryAfterMs = 0): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const window = Math.min(maxMs, baseMs * 2 ** Math.min(failures, 40));
    const delayMs = this.#random() * window;
    return delayMs >= retryAfterMs ? delayMs : retryAfterMs * (1 + this.#random() * retryAfterSpread);
  }

  /** Resets the key's backoff, after a success. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The number of consecutive failures. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}
