/** The values under which an index finds an object. */
export type ValuesOf<T> = (object: T) => readonly string[];

/** Finds the keys of the objects that have a value. */
export class StoreIndex<T> {
  readonly #valuesOf: ValuesOf<T>;
  /** By value. Most values belong to one object only: a set for each would take most of an index's memory. */
  readonly #keys = new Map<string, string | Set<string>>();

  constructor(valuesOf: ValuesOf<T>) {
    this.#valuesOf = valuesOf;
  }

  has(value: string): boolean {
    return this.#keys.has(value);
  }

  keys(value: string): Iterable<string> {
    const keys = this.#keys.get(value) ?? [];
    return typeof keys === "string" ? [keys] : keys;
  }

  /** Records that the object at `key` changed; `before` is undefined if it is new, `after` if it is gone. */
  update(key: string, before: T | undefined, after: T | undefined): void {
    const oldValues = before === undefined ? [] : this.#valuesOf(before);
    const newValues = after === undefined ? [] : this.#valuesOf(after);
    for (const value of oldValues) if (!newValues.includes(value)) this.#remove(value, key);
    for (const value of newValues) this.#add(value, key);
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, key);
    else if (typeof keys === "object") keys.add(key);
    else if (keys !== key) this.#keys.set(value, new Set([keys, key]));
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (typeof keys === "object") keys.delete(key);
    if (keys === key || (typeof keys === "object" && keys.size === 0)) this.#keys.delete(value);
  }
}
