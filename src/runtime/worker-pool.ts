import type { Clock } from "#src/time/clock.ts";
import type { Controller } from "./controller.ts";
import type { Priority } from "./queue.ts";

export interface WorkerPoolOptions {
  readonly controllers: readonly Controller[];
  /** Reconciles at once, of all controllers together. */
  readonly workers: number;
  readonly clock: Clock;
}

/** After working for so long without a pause, I/O and timers get their turn. */
const turnMs = 10;

/**
 * A bounded number of workers shared by several controllers: what is urgent anywhere goes first, and among equals the
 * controllers take turns, so that a flood of one kind does not hold up another.
 */
export class WorkerPool {
  readonly #controllers: readonly Controller[];
  readonly #workers: number;
  readonly #clock: Clock;
  readonly #active = new Set<Promise<void>>();
  #turn = 0;
  #state: "idle" | "started" | "stopped" = "idle";
  #pumpIsDue = false;
  #turnStartedAt: number | undefined;

  constructor({ controllers, workers, clock }: WorkerPoolOptions) {
    this.#controllers = controllers;
    this.#workers = workers;
    this.#clock = clock;
    for (const { queue } of controllers) queue.onReady = () => this.#pumpSoon();
  }

  /** Begins to take keys: when every store that a reconcile reads has synced. */
  start(): void {
    if (this.#state !== "idle") throw new Error("a worker pool starts once");
    this.#state = "started";
    this.#pumpSoon();
  }

  /** Reconciles under way. */
  get active(): number {
    return this.#active.size;
  }

  /**
   * Takes nothing more, waits for what is running, aborts it after `graceMs` and waits for its end.
   * @returns whether all ended without being aborted.
   */
  async stop({ graceMs, reason }: { readonly graceMs: number; readonly reason?: Error }): Promise<boolean> {
    this.#state = "stopped";
    for (const { queue } of this.#controllers) queue.close();
    let drained = true;
    const abort = () => {
      drained = this.#active.size === 0;
      for (const controller of this.#controllers) controller.abort(reason ?? new Error("the operator is stopping"));
    };
    if (graceMs <= 0) abort();
    const cancel = this.#clock.setTimer(abort, graceMs);
    await Promise.all(this.#active);
    cancel();
    return drained;
  }

  /** Once for all keys that get ready in the same breath, and never from within a caller's own work. */
  #pumpSoon(): void {
    if (this.#pumpIsDue || this.#state !== "started") return;
    this.#pumpIsDue = true;
    this.#turnStartedAt ??= this.#beginTurn();
    if (this.#clock.monotonic() - this.#turnStartedAt < turnMs) queueMicrotask(() => this.#pump());
    else setImmediate(() => this.#pump());
  }

  #pump(): void {
    this.#pumpIsDue = false;
    while (this.#state === "started" && this.#active.size < this.#workers) {
      const controller = this.#next("high") ?? this.#next("low");
      const key = controller?.queue.take();
      if (controller === undefined || key === undefined) return;
      const run = controller.run(key).finally(() => {
        this.#active.delete(run);
        this.#pumpSoon();
      });
      this.#active.add(run);
    }
  }

  #next(priority: Priority): Controller | undefined {
    for (let step = 0; step < this.#controllers.length; step++) {
      const index = (this.#turn + step) % this.#controllers.length;
      const controller = this.#controllers[index];
      if (controller?.queue.hasReady(priority) !== true) continue;
      this.#turn = (index + 1) % this.#controllers.length;
      return controller;
    }
    return undefined;
  }

  /** A turn ends when the event loop comes round. */
  #beginTurn(): number {
    setImmediate(() => {
      this.#turnStartedAt = undefined;
    });
    return this.#clock.monotonic();
  }
}
