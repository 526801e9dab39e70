import type { Clock } from "#src/time/clock.ts";
import { type Node, TimerHeap } from "./timer-heap.ts";

/** What people wait for (`high`) goes before what nobody waits for (`low`: resync, first listing). */
export type Priority = "high" | "low";

export interface AddOptions {
  /** Default `high`. */
  readonly priority?: Priority;
  /** Not before so many milliseconds from now; default 0. */
  readonly delayMs?: number;
}

/** Told by a queue, in the names that dashboards know (`workqueue_*`). Seconds. */
export interface QueueMetrics {
  /** Keys that are ready and in no worker. */
  depth(queue: string, keys: number): void;
  added(queue: string): void;
  /** From ready to taken. */
  waited(queue: string, seconds: number): void;
  /** From taken to done. */
  worked(queue: string, seconds: number): void;
}

export interface QueueOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly metrics?: QueueMetrics;
}

/** When and how urgently a key is to be taken. */
interface Due {
  readonly at: number;
  readonly priority: Priority;
}

interface Item {
  readonly key: string;
  state: "delayed" | "ready" | "running";
  due: Due;
  /** Its place in the heap while delayed. */
  node: Node<Item> | undefined;
  /** Asked for while running: one rerun follows. */
  dirty: Due | undefined;
  takenAt: number;
}

/**
 * Keys to work on. *Guarantees*: a key is never taken twice at once; what is added while it runs leads to one rerun;
 * duplicates keep the earliest time and the highest priority; of one priority, the longest ready goes first.
 * *Costs*: O(log n) an add, O(1) a take.
 */
export class WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics | undefined;
  readonly #items = new Map<string, Item>();
  readonly #delayed = new TimerHeap<Item>();
  readonly #ready: Readonly<Record<Priority, ReadyLane>> = { high: new ReadyLane(), low: new ReadyLane() };
  #depth = 0;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #closed = false;
  #onReady: () => void = () => undefined;

  constructor({ name, clock, metrics }: QueueOptions) {
    this.name = name;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Called each time that a key gets ready; it may not take from within the call. */
  set onReady(callback: () => void) {
    this.#onReady = callback;
  }

  /** Keys that are ready and in no worker. */
  get depth(): number {
    return this.#depth;
  }

  /** Keys of any state. */
  get size(): number {
    return this.#items.size;
  }

  hasReady(priority: Priority): boolean {
    return this.#ready[priority].peek(priority) !== undefined;
  }

  add(key: string, { priority = "high", delayMs = 0 }: AddOptions = {}): void {
    if (this.#closed) return;
    this.#metrics?.added(this.name);
    this.#schedule(key, { at: this.#clock.monotonic() + Math.max(0, delayMs), priority });
  }

  /** The next ready key, which from now on is in a worker until `done`. */
  take(): string | undefined {
    const item = this.#ready.high.shift("high") ?? this.#ready.low.shift("low");
    if (item === undefined) return undefined;
    const now = this.#clock.monotonic();
    item.state = "running";
    item.takenAt = now;
    this.#setDepth(this.#depth - 1);
    this.#metrics?.waited(this.name, (now - item.due.at) / 1000);
    return item.key;
  }

  /** The worker is through with `key`. @throws where no worker has it. */
  done(key: string): void {
    const item = this.#items.get(key);
    if (item?.state !== "running") throw new Error(`${this.name}: ${key} is in no worker`);
    this.#metrics?.worked(this.name, (this.#clock.monotonic() - item.takenAt) / 1000);
    this.#items.delete(key);
    if (item.dirty !== undefined && !this.#closed) this.#schedule(key, item.dirty);
  }

  /** Takes in and gives out nothing more. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#ready.high.clear();
    this.#ready.low.clear();
    this.#setDepth(0);
  }

  #schedule(key: string, due: Due): void {
    const item = this.#items.get(key);
    if (item === undefined) {
      const fresh: Item = { key, state: "delayed", due, node: undefined, dirty: undefined, takenAt: 0 };
      this.#items.set(key, fresh);
      this.#place(fresh);
      return;
    }
    switch (item.state) {
      case "running":
        item.dirty = item.dirty === undefined ? due : merge(item.dirty, due);
        break;
      case "ready":
        if (due.priority === "high" && item.due.priority === "low") {
          item.due = { at: item.due.at, priority: "high" };
          this.#ready.high.push(item);
        }
        break;
      case "delayed": {
        const merged = merge(item.due, due);
        if (merged.at === item.due.at) item.due = merged;
        else {
          item.due = merged;
          this.#place(item);
        }
        break;
      }
    }
  }

  #place(item: Item): void {
    if (item.due.at <= this.#clock.monotonic()) {
      this.#makeReady(item);
      return;
    }
    item.node = { at: item.due.at, item };
    this.#delayed.push(item.node);
    this.#setTimer();
  }

  #makeReady(item: Item): void {
    item.state = "ready";
    item.node = undefined;
    this.#ready[item.due.priority].push(item);
    this.#setDepth(this.#depth + 1);
    this.#onReady();
  }

  #setTimer(): void {
    const next = this.#nextDelayed();
    if (this.#timer?.at === next?.at) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (next === undefined) return;
    const cancel = this.#clock.setTimer(() => this.#wake(), next.at - this.#clock.monotonic());
    this.#timer = { at: next.at, cancel };
  }

  #wake(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let next = this.#nextDelayed(); next !== undefined && next.at <= now; next = this.#nextDelayed()) {
      this.#delayed.pop();
      this.#makeReady(next.item);
    }
    this.#setTimer();
  }

  #nextDelayed(): Node<Item> | undefined {
    let next = this.#delayed.peek();
    while (next !== undefined && next.item.node !== next) {
      this.#delayed.pop();
      next = this.#delayed.peek();
    }
    return next;
  }

  #setDepth(depth: number): void {
    this.#depth = depth;
    this.#metrics?.depth(this.name, depth);
  }
}

function merge(a: Due, b: Due): Due {
  return { at: Math.min(a.at, b.at), priority: a.priority === "high" ? "high" : b.priority };
}

/** First in, first out. What was taken through another lane or moved to one is skipped. */
class ReadyLane {
  #items: Item[] = [];
  #head = 0;

  push(item: Item): void {
    this.#items.push(item);
  }

  peek(priority: Priority): Item | undefined {
    for (;;) {
      const item = this.#items[this.#head];
      if (item === undefined || (item.state === "ready" && item.due.priority === priority)) return item;
      this.#advance();
    }
  }

  shift(priority: Priority): Item | undefined {
    const item = this.peek(priority);
    if (item !== undefined) this.#advance();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  #advance(): void {
    this.#head++;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }
}
