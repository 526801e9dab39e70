import type { Kind } from "#src/kinds/kind.ts";
import type { Clock, MonotonicTime } from "#src/time/clock.ts";

export interface AgendaItem {
  readonly kind: string;
  readonly key: string;
}

/** What is to be reconciled now, and later. The order depends on the names of objects alone, so that a plan can be repeated. */
export class Agenda {
  readonly #kinds: readonly string[];
  readonly #clock: Clock;
  /** When each object is due, as `Kind namespace/name`. */
  readonly #due = new Map<string, AgendaItem & { readonly at: MonotonicTime }>();
  /** What `next` has returned and who called it has not come to yet: what happens to it until then needs no second reconcile. */
  readonly #ahead = new Set<string>();

  constructor(kinds: readonly Kind[], clock: Clock) {
    this.#kinds = kinds.map(({ name }) => name);
    this.#clock = clock;
  }

  /** How many objects are due, now or later. */
  get size(): number {
    return this.#due.size;
  }

  add(kind: string, key: string): void {
    this.addAt(kind, key, this.#clock.monotonic());
  }

  /** The earlier of two times counts. */
  addAt(kind: string, key: string, at: MonotonicTime): void {
    const item = `${kind} ${key}`;
    if (this.#ahead.has(item) && at <= this.#clock.monotonic()) return;
    const before = this.#due.get(item);
    if (before === undefined || at < before.at) this.#due.set(item, { kind, key, at });
  }

  /**
   * Takes what is due first, if that is before `end`: parents before what refers to them, as the kinds are ordered, and then by
   * namespace and name. The items are to be taken one after the other.
   */
  next(end: MonotonicTime): { readonly dueAt: MonotonicTime; readonly items: Iterable<AgendaItem> } | undefined {
    let dueAt = Number.POSITIVE_INFINITY;
    for (const { at } of this.#due.values()) dueAt = Math.min(dueAt, at);
    dueAt = Math.max(dueAt, this.#clock.monotonic());
    if (dueAt > end) return undefined;
    const items = [...this.#due.values()].filter(({ at }) => at <= dueAt);
    for (const { kind, key } of items) {
      this.#due.delete(`${kind} ${key}`);
      this.#ahead.add(`${kind} ${key}`);
    }
    const rank = ({ kind }: AgendaItem) => this.#kinds.indexOf(kind);
    return { dueAt, items: this.#oneByOne(items.toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1))) };
  }

  *#oneByOne(items: readonly AgendaItem[]): Iterable<AgendaItem> {
    for (const item of items) {
      this.#ahead.delete(`${item.kind} ${item.key}`);
      yield item;
    }
  }
}
