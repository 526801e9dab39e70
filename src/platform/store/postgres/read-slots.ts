import { FairQueue } from "../../shares/fair-queue.ts";
import { isAuthenticated, type Share } from "../../shares/share.ts";
import { DatabaseUnavailableError } from "../database.ts";

/** A read that waits for a slot. */
interface WaitingRead {
  readonly owner: string;
  readonly start: () => void;
  isOver: boolean;
}

/** How long (ms) the slots are shared after another owner has called. */
const sharedTime = 1_000;

/**
 * The slots of the reads that run at the same time. Callers use them in turn, and while several owners call, such as root
 * groups, each of them has at most a fifth of the slots. All reads in slots advance in each turn of the event loop, so the
 * duration of a turn grows with the number of large ones, and a write needs many turns.
 */
export class ReadSlots {
  #free: number;
  /** The most slots of one owner while others call. */
  readonly #share: number;
  readonly #timeLimit: number;
  readonly #waiting = new FairQueue<WaitingRead>();
  /** The number of slots of each owner that has any. */
  readonly #held = new Map<string, number>();
  /** The authenticated owner that called last. */
  #lastOwner: string | undefined;
  /** Until when (ms) an authenticated owner has only its share. */
  #sharedUntil = 0;
  /** Until when (ms) reads for those who are not authenticated have only their share. */
  #calledUntil = 0;
  #idle: PromiseWithResolvers<void> | undefined;
  #serving: NodeJS.Timeout | undefined;

  /** @param timeLimit the longest time that a read waits (ms) */
  constructor(slots: number, timeLimit: number) {
    this.#free = slots;
    this.#share = Math.ceil(slots / 5);
    this.#timeLimit = timeLimit;
  }

  /**
   * Waits for a slot.
   * @returns what releases it, to be called once
   * @throws DatabaseUnavailableError if none becomes free in time
   */
  async take(shares: readonly Share[]): Promise<() => void> {
    const owner = shares[0]?.key ?? "";
    this.#notice(owner);
    if (this.#free > 0 && this.#mayHold(owner)) this.#hold(owner);
    else await this.#wait(owner, shares);
    const started = performance.now();
    return () => {
      this.#waiting.charge(shares, performance.now() - started);
      this.#release(owner);
    };
  }

  /** Resolves when no read has a slot or waits for one. */
  async idle(): Promise<void> {
    if (this.#held.size > 0) await (this.#idle ??= Promise.withResolvers()).promise;
  }

  #notice(owner: string): void {
    // An owner that calls alone exchanges tokens, too, and the platform reads for itself.
    if (!isAuthenticated(owner)) return;
    this.#calledUntil = performance.now() + sharedTime;
    if (this.#lastOwner !== undefined && owner !== this.#lastOwner) this.#sharedUntil = this.#calledUntil;
    this.#lastOwner = owner;
  }

  #mayHold(owner: string): boolean {
    const until = isAuthenticated(owner) ? this.#sharedUntil : this.#calledUntil;
    return (this.#held.get(owner) ?? 0) < this.#share || performance.now() >= until;
  }

  #hold(owner: string): void {
    this.#free -= 1;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  #wait(owner: string, shares: readonly Share[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        read.isOver = true;
        reject(new DatabaseUnavailableError("no connection to the database became free in time"));
      }, this.#timeLimit);
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const read = { owner, start, isOver: false };
      this.#waiting.add(shares, read);
      if (this.#free > 0) this.#serveLater();
    });
  }

  #release(owner: string): void {
    this.#free += 1;
    const held = (this.#held.get(owner) ?? 0) - 1;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
    this.#serve();
    if (this.#held.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  /** Gives free slots to the reads that may have them. */
  #serve(): void {
    while (this.#free > 0) {
      const read = this.#waiting.take((share) => this.#mayHold(share));
      if (read === undefined) break;
      if (read.isOver) continue;
      this.#hold(read.owner);
      read.start();
    }
    if (this.#waiting.size === 0) this.#waiting.clear();
    else if (this.#free > 0) this.#serveLater();
  }

  /** Reads that wait although slots are free may have them once no other owner calls, which is no event. */
  #serveLater(): void {
    if (this.#serving !== undefined) return;
    this.#serving = setTimeout(() => {
      this.#serving = undefined;
      this.#serve();
    }, sharedTime).unref();
  }
}
