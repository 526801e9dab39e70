import { setImmediate as nextTurn } from "node:timers/promises";
import { FairQueue } from "../shares/fair-queue.ts";
import { serveOthers } from "../shares/serve-others.ts";
import type { Share } from "../shares/share.ts";

/** How long requests are begun in one turn of the event loop (ms). One that has begun is completed, or waits for a database. */
const turnTime = 5;
/** The most requests that are begun in one turn while others wait. */
const together = 16;
/** The bytes of a body that count as much as a request. */
export const bytesOfRequest = 16 * 1024;

interface Waiting {
  readonly shares: readonly Share[];
  readonly weight: number;
  readonly begin: () => void;
}

/**
 * The turns of requests on the event loop. Hundreds of requests can arrive in one turn of it; those that do not fit are begun in
 * the next ones, and addresses take turns.
 */
export class Turns {
  readonly #waiting = new FairQueue<Waiting>();
  /** When the first request of this turn was begun; undefined before it. */
  #started: number | undefined;
  #isScheduled = false;

  /**
   * @param shares of the client
   * @param weight how much the work counts, relative to a request without a body
   * @returns undefined if the request may begin now; otherwise resolves when it may
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
      // What one request does at once is complete before the next callback.
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
