import type { Pool } from "./pool.ts";
import type { Share } from "./share.ts";

/** What one user holds of a pool, until it is released. */
export class Lease {
  readonly #pool: Pool;
  readonly #shares: readonly Share[];
  #held: number;

  private constructor(pool: Pool, shares: readonly Share[], held: number) {
    this.#pool = pool;
    this.#shares = shares;
    this.#held = held;
  }

  /** @returns undefined if the pool or a share of it is full */
  static take(pool: Pool, shares: readonly Share[], amount = 1): Lease | undefined {
    return pool.take(shares, amount) === undefined ? new Lease(pool, shares, amount) : undefined;
  }

  /** Takes more. @returns false, and takes nothing, if the pool or a share of it is full, or the lease was released */
  grow(amount: number): boolean {
    if (this.#held === 0) return false;
    if (amount === 0) return true;
    if (this.#pool.take(this.#shares, amount) !== undefined) return false;
    this.#held += amount;
    return true;
  }

  /** Returns everything to the pool. More calls have no effect. */
  release(): void {
    if (this.#held > 0) this.#pool.giveBack(this.#shares, this.#held);
    this.#held = 0;
  }
}
