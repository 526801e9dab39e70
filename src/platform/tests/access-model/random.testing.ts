/** A pseudorandom generator: equal seeds give equal sequences (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The generator of one of many independent worlds. */
  static ofWorld(seed: number, world: number): Random {
    return new Random(Math.imul(seed, 1_000) + world);
  }

  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** True with a probability of 1 in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("cannot pick from an empty list");
    return item;
  }

  /** Each item with a probability of 1 in 2. */
  some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.oneIn(2));
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.below(16).toString(16)).join("");
  }
}
