import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { FairLine } from "./fair-line.ts";
import { TimerHeap } from "./timer-heap.ts";

/** `high` for changes that people wait for; `low` for resyncs, the objects at the start, and repeated lists. */
export type Priority = "high" | "low";

export interface AddOptions {
  /** Default: `high`. */
  readonly priority?: Priority;
  /** Milliseconds before which the key is not ready; default: 0. */
  readonly delayMs?: number;
}

/** What a queue reports, for the metrics `workqueue_*` that dashboards know. */
export interface QueueMetrics {
  /** The number of keys that are ready and not yet taken. */
  depth(queue: string, keys: number): void;
  added(queue: string): void;
  /** A key was taken this many seconds after it became ready. */
  waited(queue: string, seconds: number): void;
  /** A key was done this many seconds after it was taken. */
  worked(queue: string, seconds: number): void;
}

export interface QueueOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly metrics?: QueueMetrics;
  /** The line in which a key waits once it is ready; by default all keys wait in one. */
  readonly lineOf?: (key: string) => string;
}

interface DelayedItem {
  readonly state: "delayed";
  readonly key: string;
  /** When the key becomes ready. */
  readonly at: MonotonicTime;
  priority: Priority;
}

interface ReadyItem {
  readonly state: "ready";
  readonly key: string;
  /** When the key became ready. */
  readonly at: MonotonicTime;
  readonly priority: Priority;
}

interface RunningItem {
  readonly state: "running";
  readonly takenAt: MonotonicTime;
  /** When and how urgently to run again: the key was added after the run last observed what adds report. */
  rerun: Rerun | undefined;
  /** As `rerun`, for adds with a delay: they ask for another look at that time, whatever was observed before it. */
  delayedRerun: Rerun | undefined;
}

interface Rerun {
  readonly at: MonotonicTime;
  readonly priority: Priority;
}

type Item = DelayedItem | ReadyItem | RunningItem;

/**
 * The keys that wait for a reconcile, and those that have one.
 *
 * *Expected flow*: `add` → (delayed →) ready → `take` → running → `done`. A worker pool sets `onReady`, takes keys while
 * it has free workers, and calls `done` for each.
 *
 * *Guarantees*: a key is never taken twice at once; adding a running key causes exactly one more run after it, unless the
 * run observes later what the add reports (see `observes`); duplicate adds keep the earliest time and the highest priority;
 * `high` goes before `low`; within one priority the lines take turns, so that a flood of keys in one line does not delay the
 * others; and keys of one line and priority go in the order in which they became ready with that priority. There is at most
 * one timer. `add` costs O(log n), `take` O(1) amortized.
 *
 * *Caveats*: a steady supply of `high` keys starves the `low` ones. Adding a key that is ready neither delays it nor
 * lowers its priority.
 */
export class WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics | undefined;
  /** The one item of each key. An item in the heap or in a lane that is not its key's item any more is stale. */
  readonly #items = new Map<string, Item>();
  readonly #delayed = new TimerHeap<DelayedItem>();
  readonly #ready: Readonly<Record<Priority, FairLine<ReadyItem>>> = { high: new FairLine(), low: new FairLine() };
  readonly #lineOf: (key: string) => string;
  #depth = 0;
  #timer: { readonly at: MonotonicTime; readonly cancel: () => void } | undefined;
  #closed = false;
  #onReady: () => void = () => undefined;

  constructor({ name, clock, metrics, lineOf = () => "" }: QueueOptions) {
    this.name = name;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#lineOf = lineOf;
  }

  /** Called whenever a key becomes ready. The callback must not call `take` itself. */
  set onReady(callback: () => void) {
    this.#onReady = callback;
  }

  /** The number of keys that are ready and not yet taken. */
  get depth(): number {
    return this.#depth;
  }

  /** The number of keys in any state. */
  get size(): number {
    return this.#items.size;
  }

  hasReady(priority: Priority): boolean {
    return this.#first(this.#ready[priority]) !== undefined;
  }

  /**
   * How long keys have been ready and running, in seconds: the longest wait, the longest run, and all runs in total. It looks
   * at every key.
   */
  ages(): { readonly oldestReady: number; readonly longestRun: number; readonly allRuns: number } {
    const now = this.#clock.monotonic();
    let [oldestReady, longestRun, allRuns] = [0, 0, 0];
    for (const item of this.#items.values()) {
      if (item.state === "ready") oldestReady = Math.max(oldestReady, (now - item.at) / 1000);
      if (item.state !== "running") continue;
      longestRun = Math.max(longestRun, (now - item.takenAt) / 1000);
      allRuns += (now - item.takenAt) / 1000;
    }
    return { oldestReady, longestRun, allRuns };
  }

  /** Adds a key; if it is in the queue or running, the two are merged. Ignored after `close`. */
  add(key: string, { priority = "high", delayMs = 0 }: AddOptions = {}): void {
    if (this.#closed) return;
    this.#metrics?.added(this.name);
    this.#schedule(key, this.#clock.monotonic() + Math.max(0, delayMs), priority);
  }

  /** Takes the next ready key, which is running until `done`; undefined if none is ready. */
  take(): string | undefined {
    const item = this.#first(this.#ready.high) ?? this.#first(this.#ready.low);
    if (item === undefined) return undefined;
    this.#ready[item.priority].take();
    const takenAt = this.#clock.monotonic();
    this.#items.set(item.key, { state: "running", takenAt, rerun: undefined, delayedRerun: undefined });
    this.#setDepth(this.#depth - 1);
    this.#metrics?.waited(this.name, (takenAt - item.at) / 1000);
    return item.key;
  }

  /**
   * The run of `key` is about to read everything that it decides from, so what was added until now needs no further run. Most
   * adds during a run are the watch events of its own writes.
   */
  observes(key: string): void {
    const item = this.#items.get(key);
    if (item?.state === "running") item.rerun = undefined;
  }

  /** Ends the run of `key`. @throws if the key is not running. */
  done(key: string): void {
    const item = this.#items.get(key);
    if (item?.state !== "running") throw new Error(`queue ${this.name}: done("${key}"), but the key is not running`);
    this.#metrics?.worked(this.name, (this.#clock.monotonic() - item.takenAt) / 1000);
    this.#items.delete(key);
    if (this.#closed) return;
    for (const rerun of [item.rerun, item.delayedRerun])
      if (rerun !== undefined) this.#schedule(key, rerun.at, rerun.priority);
  }

  /** Ignores further adds and hands out no more keys. Running keys may still be ended with `done`. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#ready.high.clear();
    this.#ready.low.clear();
    this.#setDepth(0);
  }

  #schedule(key: string, at: MonotonicTime, priority: Priority): void {
    const item = this.#items.get(key);
    switch (item?.state) {
      case undefined:
        this.#place(key, at, priority);
        break;
      case "delayed":
        if (at < item.at) this.#place(key, at, higher(item.priority, priority));
        else item.priority = higher(item.priority, priority);
        break;
      case "ready":
        if (priority === "high" && item.priority === "low") this.#pushReady({ ...item, priority });
        break;
      case "running":
        if (at > this.#clock.monotonic()) item.delayedRerun = merged(item.delayedRerun, { at, priority });
        else item.rerun = merged(item.rerun, { at, priority });
    }
  }

  #place(key: string, at: MonotonicTime, priority: Priority): void {
    if (at <= this.#clock.monotonic()) {
      this.#makeReady(key, at, priority);
      return;
    }
    const item: DelayedItem = { state: "delayed", key, at, priority };
    this.#items.set(key, item);
    this.#delayed.push(item);
    this.#setTimer();
  }

  #makeReady(key: string, at: MonotonicTime, priority: Priority): void {
    this.#pushReady({ state: "ready", key, at, priority });
    this.#setDepth(this.#depth + 1);
    this.#onReady();
  }

  #pushReady(item: ReadyItem): void {
    this.#items.set(item.key, item);
    this.#ready[item.priority].push(this.#lineOf(item.key), item);
  }

  #setTimer(): void {
    const next = this.#first(this.#delayed);
    if (this.#timer?.at === next?.at) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (next === undefined) return;
    const cancel = this.#clock.setTimer(() => this.#onTimer(), next.at - this.#clock.monotonic());
    this.#timer = { at: next.at, cancel };
  }

  #onTimer(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (
      let next = this.#first(this.#delayed);
      next !== undefined && next.at <= now;
      next = this.#first(this.#delayed)
    ) {
      this.#delayed.pop();
      this.#makeReady(next.key, next.at, next.priority);
    }
    this.#setTimer();
  }

  /** The first item that is not stale; stale items before it are dropped. */
  #first<I extends DelayedItem | ReadyItem>(line: { peek(): I | undefined; pop(): I | undefined }): I | undefined {
    let item = line.peek();
    while (item !== undefined && this.#items.get(item.key) !== item) {
      line.pop();
      item = line.peek();
    }
    return item;
  }

  #setDepth(depth: number): void {
    this.#depth = depth;
    this.#metrics?.depth(this.name, depth);
  }
}

function merged(before: Rerun | undefined, { at, priority }: Rerun): Rerun {
  return before === undefined
    ? { at, priority }
    : { at: Math.min(before.at, at), priority: higher(before.priority, priority) };
}

function higher(a: Priority, b: Priority): Priority {
  return a === "high" ? a : b;
}
