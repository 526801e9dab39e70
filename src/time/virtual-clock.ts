import type { Clock, MonotonicTime } from "./clock.ts";

interface Timer {
  readonly at: MonotonicTime;
  /** Timers of the same time fire in the order in which they were set. */
  readonly order: number;
  readonly callback: () => void;
}

/** A clock whose time passes only in `advance`: for what is computed and not waited for. */
export class VirtualClock implements Clock {
  #monotonic: MonotonicTime = 0;
  #wall: number;
  #timersSet = 0;
  readonly #timers = new Set<Timer>();

  /** @param wall milliseconds since the epoch */
  constructor(wall: number) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): MonotonicTime {
    return this.#monotonic;
  }

  setTimer(callback: () => void, ms: number): () => void {
    const timer = { at: this.#monotonic + Math.max(0, ms), order: this.#timersSet++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = this.setTimer(() => {
        signal.removeEventListener("abort", abort);
        resolve();
      }, ms);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  turn(): Promise<void> {
    return Promise.resolve();
  }

  /** The number of timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer fires; undefined if none is set. */
  get untilNext(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.at - this.#monotonic;
  }

  /** Lets `ms` pass. Timers fire in order; promises that one of them settles run before the next one fires. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settled();
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
      this.#timers.delete(next);
      this.#pass(next.at - this.#monotonic);
      next.callback();
      await settled();
    }
    this.#pass(end - this.#monotonic);
  }

  #pass(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    return first;
  }
}

/** Resolves when every pending promise callback has run: everything that needs neither time nor I/O. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
