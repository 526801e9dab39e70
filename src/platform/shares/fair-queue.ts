import type { Share } from "./share.ts";

/**
 * Items that wait for something that takes time, such as a database. The next item is one of the root group that has used
 * the least of it, and in the root group, one of the identity that has; likewise for addresses. Items of the same owner are in
 * the order of their arrival.
 *
 * An owner that has used nothing for a while has no claim to make up for it: it starts with the least use of those that wait.
 * The queue forgets owners with less use than that, and the others if they are too many, so its memory is bounded by the
 * number of items that wait.
 */
export class FairQueue<T> {
  #owners = new Branch<T>(0);

  /** The number of items that wait. */
  get size(): number {
    return this.#owners.size;
  }

  /** @param shares of the owner, from the outermost, such as its root group, to its own */
  add(shares: readonly Share[], item: T): void {
    this.#owners.add(shares, 0, item);
  }

  /**
   * Removes the next item.
   * @param mayTake whether an item of the owner with this outermost share may be taken; by default, all may
   * @returns undefined if no item waits that may be taken
   */
  take(mayTake?: (share: string) => boolean): T | undefined {
    return this.#owners.take(mayTake);
  }

  /** Records what an owner has used, such as milliseconds, for the order of what it adds next, and of what waits. */
  charge(shares: readonly Share[], used: number): void {
    this.#owners.charge(shares, 0, used);
  }

  /** Forgets what was used, for example when nobody waits any more. @throws {Error} if an item waits */
  clear(): void {
    if (this.size > 0) throw new Error("items wait");
    this.#owners = new Branch(0);
  }
}

/** How many items are taken until the owners that need not be remembered are forgotten. */
const takesUntilSweep = 256;
/** The most owners that are remembered although none of their items waits. */
const maximumIdle = 4_096;

/** The items of an owner, and the owners within it. */
class Branch<T> {
  /** What it has used, at least what those had used that waited when it began to wait. */
  use: number;
  /** The number of items that wait, in branches too. */
  size = 0;
  readonly #items: T[] = [];
  readonly #branches = new Map<string, Branch<T>>();
  /** The use of the branch from which an item was last taken: the least of those that waited. */
  #least = 0;
  #takes = 0;

  constructor(use: number) {
    this.use = use;
  }

  add(shares: readonly Share[], depth: number, item: T): void {
    this.size += 1;
    const share = shares[depth];
    if (share === undefined) {
      this.#items.push(item);
      return;
    }
    const branch = this.#branch(share);
    if (branch.size === 0) branch.use = Math.max(branch.use, this.#least);
    branch.add(shares, depth + 1, item);
  }

  take(mayTake: (share: string) => boolean = () => true): T | undefined {
    if (this.size === 0) return undefined;
    const next = this.#items.length > 0 ? undefined : this.#next(mayTake);
    if (this.#items.length === 0 && next === undefined) return undefined;
    this.size -= 1;
    if (next === undefined) return this.#items.shift();
    this.#least = Math.max(this.#least, next.use);
    const item = next.take();
    if (++this.#takes % takesUntilSweep === 0) this.#sweep();
    return item;
  }

  #next(mayTake: (share: string) => boolean): Branch<T> | undefined {
    let next: Branch<T> | undefined;
    for (const [share, branch] of this.#branches)
      if (branch.size > 0 && (next === undefined || branch.use < next.use) && mayTake(share)) next = branch;
    return next;
  }

  charge(shares: readonly Share[], depth: number, used: number): void {
    this.use += used;
    const share = shares[depth];
    if (share !== undefined) this.#branch(share).charge(shares, depth + 1, used);
  }

  #branch({ key }: Share): Branch<T> {
    let branch = this.#branches.get(key);
    if (branch === undefined) {
      branch = new Branch(this.#least);
      this.#branches.set(key, branch);
    }
    return branch;
  }

  #sweep(): void {
    const areTooMany = this.#branches.size > maximumIdle;
    for (const [key, branch] of this.#branches)
      if (branch.size === 0 && (areTooMany || branch.use <= this.#least)) this.#branches.delete(key);
  }
}
