/** The group in which an object is counted, such as its namespace, and the value as which it is counted there. */
export type TallyOf<T> = (object: T) => readonly [group: string, value: string];

/** Counts objects by a value of each, within groups. Its size is that of the distinct values, not of the objects. */
export class StoreTally<T> {
  readonly #tallyOf: TallyOf<T>;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(tallyOf: TallyOf<T>) {
    this.#tallyOf = tallyOf;
  }

  /** By group and value, without those that no object has. */
  get counts(): ReadonlyMap<string, ReadonlyMap<string, number>> {
    return this.#counts;
  }

  /** Records that an object changed; `before` is undefined if it is new, `after` if it is gone. */
  update(before: T | undefined, after: T | undefined): void {
    const old = before && this.#tallyOf(before);
    const now = after && this.#tallyOf(after);
    if (old !== undefined && now !== undefined && old[0] === now[0] && old[1] === now[1]) return;
    if (old !== undefined) this.#remove(...old);
    if (now !== undefined) this.#add(...now);
  }

  #add(group: string, value: string): void {
    const counts = this.#counts.get(group);
    if (counts === undefined) this.#counts.set(group, new Map([[value, 1]]));
    else counts.set(value, (counts.get(value) ?? 0) + 1);
  }

  #remove(group: string, value: string): void {
    const counts = this.#counts.get(group);
    const left = (counts?.get(value) ?? 0) - 1;
    if (left > 0) counts?.set(value, left);
    else if (counts?.delete(value) === true && counts.size === 0) this.#counts.delete(group);
  }
}
