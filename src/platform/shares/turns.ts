import { setImmediate as nextTurn } from "node:timers/promises";
import { FairQueue } from "./fair-queue.ts";
import { serveOthers } from "./serve-others.ts";
import type { Share } from "./share.ts";

/** How long work is begun in one turn of the event loop (ms). What has begun is completed, or waits for something. */
const turnTime = 5;
/** How much work is begun in one turn while more waits. */
const together = 16;

interface Waiting {
  readonly shares: readonly Share[];
  readonly weight: number;
  readonly begin: () => void;
}

/**
 * The turns of work on the event loop, such as requests. Hundreds of requests can arrive in one turn of it; those that do not fit
 * are begun in the next ones, and those whose shares they use take turns.
 */
export class Turns {
  readonly #waiting = new FairQueue<Waiting>();
  /** When the first work of this turn was begun; undefined before it. */
  #started: number | undefined;
  #isScheduled = false;

  /**
   * @param shares of those for whom the work is
   * @param weight how much it counts, relative to other work
   * @returns undefined if it may begin now; otherwise resolves when it may
   */
  take(shares: readonly Share[], weight = 1): Promise<void> | undefined {
    if (this.#waiting.size === 0 && !this.#isOver()) return undefined;
    return new Promise((begin) => {
      this.#waiting.add(shares, { shares, weight, begin });
      this.#schedule();
    });
  }

  #isOver(): boolean {
    const now = performance.now();
    if (this.#started !== undefined) return now - this.#started >= turnTime;
    this.#started = now;
    setImmediate(() => (this.#started = undefined));
    return false;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void this.#beginAll();
  }

  async #beginAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      await serveOthers();
      // What the work does at once is complete before the next callback.
      await Promise.all(Array.from({ length: together }, () => nextTurn().then(() => this.#beginNext())));
    }
    this.#waiting.clear();
    this.#isScheduled = false;
  }

  #beginNext(): void {
    if (this.#waiting.size === 0 || this.#isOver()) return;
    const next = this.#waiting.take();
    if (next === undefined) return;
    this.#waiting.charge(next.shares, next.weight);
    next.begin();
  }
}
