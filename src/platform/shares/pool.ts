import { mayTake, type Share, type ShareScope } from "./share.ts";

/** Why a pool refuses: it is full, or a share of it is. */
export type PoolRefusal = "full" | ShareScope;

/** A limited resource, such as slots or bytes, that callers share. Its size in memory is bounded by its capacity. */
export class Pool {
  readonly capacity: number;
  #used = 0;
  readonly #usedBy = new Map<string, number>();

  /** @param capacity in units of at least 1, such as calls or bytes */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes an amount of at least 1 from every share, or nothing. @returns why nothing was taken; undefined on success */
  take(shares: readonly Share[], amount = 1): PoolRefusal | undefined {
    const free = this.capacity - this.#used;
    if (amount > free) return "full";
    for (const { scope, key } of shares) if (!mayTake(amount, this.#usedBy.get(key) ?? 0, free, scope)) return scope;
    this.#used += amount;
    for (const { key } of shares) this.#usedBy.set(key, (this.#usedBy.get(key) ?? 0) + amount);
    return undefined;
  }

  /** Returns what was taken before, with the same shares. */
  giveBack(shares: readonly Share[], amount = 1): void {
    this.#used -= amount;
    for (const { key } of shares) {
      const left = (this.#usedBy.get(key) ?? 0) - amount;
      if (left > 0) this.#usedBy.set(key, left);
      else this.#usedBy.delete(key);
    }
  }
}
