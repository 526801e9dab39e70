import { FairQueue } from "../../shares/fair-queue.ts";
import type { Share } from "../../shares/share.ts";
import { DatabaseUnavailableError } from "../database.ts";

/** A read that waits for a slot. */
interface WaitingRead {
  readonly start: () => void;
  isOver: boolean;
}

/** The slots of the reads that run at the same time, which callers use in turn. */
export class ReadSlots {
  #free: number;
  readonly #timeLimit: number;
  readonly #waiting = new FairQueue<WaitingRead>();

  /** @param timeLimit the longest time that a read waits (ms) */
  constructor(slots: number, timeLimit: number) {
    this.#free = slots;
    this.#timeLimit = timeLimit;
  }

  /** Runs the work in a slot. @throws DatabaseUnavailableError if none becomes free in time; what the work throws */
  async run<T>(shares: readonly Share[], work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(shares);
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.#waiting.charge(shares, performance.now() - started);
      this.#release();
    }
  }

  #wait(shares: readonly Share[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        read.isOver = true;
        reject(new DatabaseUnavailableError("no connection to the database became free in time"));
      }, this.#timeLimit);
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const read = { start, isOver: false };
      this.#waiting.add(shares, read);
    });
  }

  /** Gives the slot to the next read. */
  #release(): void {
    for (let read = this.#waiting.take(); read !== undefined; read = this.#waiting.take())
      if (!read.isOver) return read.start();
    this.#free += 1;
    this.#waiting.clear();
  }
}
