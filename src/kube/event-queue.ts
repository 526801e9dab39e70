import type { EventType } from "./event.ts";

/** The bounded queue of events to write: Warnings before Normals, and within a type the oldest first. */
export class EventQueue<T> {
  readonly #limit: number;
  readonly #waiting: Readonly<Record<EventType, T[]>> = { Warning: [], Normal: [] };

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#waiting.Warning.length + this.#waiting.Normal.length;
  }

  /** @returns the item that does not fit: `item`, or for a Warning the oldest Normal; undefined if there is room. */
  push(type: EventType, item: T): T | undefined {
    let dropped: T | undefined;
    if (this.size >= this.#limit) {
      dropped = type === "Warning" ? this.#waiting.Normal.shift() : undefined;
      if (dropped === undefined) return item;
    }
    this.#waiting[type].push(item);
    return dropped;
  }

  shift(): T | undefined {
    return this.#waiting.Warning.shift() ?? this.#waiting.Normal.shift();
  }

  clear(): void {
    this.#waiting.Warning.length = 0;
    this.#waiting.Normal.length = 0;
  }
}
