import type { MonotonicTime } from "#src/time/clock.ts";

export interface Timed {
  readonly at: MonotonicTime;
}

/** A binary heap: the earliest item first; `push` and `pop` in O(log n). Items cannot be removed from the middle. */
export class TimerHeap<T extends Timed> {
  readonly #items: T[] = [];

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let index = items.push(item) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = items[above] as T;
      if (parent.at <= item.at) break;
      items[index] = parent;
      index = above;
    }
    items[index] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && (items[below + 1] as T).at < (items[below] as T).at) below++;
      const child = items[below] as T;
      if (child.at >= last.at) break;
      items[index] = child;
      index = below;
    }
    items[index] = last;
    return first;
  }
}
