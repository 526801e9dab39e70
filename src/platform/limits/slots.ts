export interface SlotBounds {
  readonly total: number;
  /** For each owner; never more than `total`. */
  readonly perOwner: number;
}

/** Counts what runs at a time, and admits only as much as the bounds allow, in total and for each owner. */
export class Slots {
  readonly #bounds: SlotBounds;
  readonly #byOwner = new Map<string, number>();
  #used = 0;

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes a slot. @returns a function that releases it, to be called once; undefined if there is no free one */
  take(owner: string): (() => void) | undefined {
    const owned = this.#byOwner.get(owner) ?? 0;
    if (this.#used >= this.#bounds.total || owned >= this.#bounds.perOwner) return undefined;
    this.#used += 1;
    this.#byOwner.set(owner, owned + 1);
    return () => this.#release(owner);
  }

  #release(owner: string): void {
    this.#used -= 1;
    const owned = (this.#byOwner.get(owner) ?? 0) - 1;
    if (owned > 0) this.#byOwner.set(owner, owned);
    else this.#byOwner.delete(owner);
  }
}
