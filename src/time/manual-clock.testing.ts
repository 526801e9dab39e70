import type { Clock } from "./clock.ts";

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock for tests that stands still until it is advanced. */
export class ManualClock implements Clock {
  #monotonic = 0;
  #wall: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(wall: number = Date.UTC(2026, 0, 1)) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(callback: () => void, ms: number): () => void {
    const timer = { at: this.#monotonic + Math.max(0, ms), order: this.#order++, callback };
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

  /** How many timers are set: what waits for time to pass. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer; undefined where none is set. */
  get untilNext(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.at - this.#monotonic;
  }

  /** The wall clock alone jumps by `ms`, as when somebody sets it. */
  jumpWall(ms: number): void {
    this.#wall += ms;
  }

  /** Lets `ms` pass, timer by timer in their order; what they set in motion runs before the next one. */
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

/** Resolves when all that could run without time or I/O has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
