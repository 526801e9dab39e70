export interface BackoffOptions {
  /** In [0, 1). */
  readonly random: () => number;
  /** The first window; default 250 ms. */
  readonly baseMs?: number;
  /** Default 5 min. */
  readonly maxMs?: number;
}

/** Those who were told the same Retry-After come back spread over this share more, not all at once. */
const retryAfterSpread = 0.1;

/** How long a key waits after a failure: full jitter in a window that doubles with each failure in a row. */
export class Backoff {
  readonly #failures = new Map<string, number>();
  readonly #random: () => number;
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor({ random, baseMs = 250, maxMs = 300_000 }: BackoffOptions) {
    this.#random = random;
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  /** Counts a failure. @returns the milliseconds to wait, never less than `retryAfterMs`. */
  next(key: string, retryAfterMs = 0): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const window = Math.min(this.#maxMs, this.#baseMs * 2 ** Math.min(failures, 40));
    const wait = this.#random() * window;
    return wait >= retryAfterMs ? wait : retryAfterMs * (1 + this.#random() * retryAfterSpread);
  }

  /** After a success, or when the reason of the failures is known to be gone. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}
