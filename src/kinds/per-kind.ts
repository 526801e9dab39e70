import type { Kind } from "./kind.ts";

/** A value for each kind of a list, such as its store. */
export class PerKind<T> {
  readonly #values: ReadonlyMap<string, T>;

  constructor(kinds: readonly Kind[], valueOf: (kind: Kind) => T) {
    this.#values = new Map(kinds.map((kind) => [kind.name, valueOf(kind)]));
  }

  /** @throws {Error} if the list has no kind with this name. */
  get(name: string): T {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`unknown kind ${name}`);
    return value;
  }

  /** The values by the names of their kinds, in the order of the list. */
  entries(): Iterable<[string, T]> {
    return this.#values.entries();
  }

  values(): Iterable<T> {
    return this.#values.values();
  }
}
