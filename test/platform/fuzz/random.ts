/** Pseudorandom choices: the same seed gives the same choices. Not for secrets. */
export class Random {
  #state: number;

  /** @param label selects one of many independent sequences of a seed */
  constructor(seed: number, label: string | number = "") {
    this.#state = seed | 0;
    for (const character of String(label))
      this.#state = Math.imul(this.#state ^ (character.codePointAt(0) ?? 0), 0x01000193);
    // The first numbers of neighbouring seeds are similar.
    for (let count = 0; count < 4; count++) this.next();
  }

  /** A number from 0 (inclusive) to 1 (exclusive), by Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both inclusive. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** @throws {Error} if there are no items */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error("pick: the list is empty");
    return items[this.int(0, items.length - 1)] as T;
  }

  /** One of the choices, with a probability in proportion to its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let rest = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) if ((rest -= weight) < 0) return choice;
    return this.pick(choices)[1];
  }

  /** The items in random order. */
  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => [this.next(), item] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, item]) => item);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.int(0, 255)));
  }
}
