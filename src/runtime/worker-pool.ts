import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import type { Controller } from "./controller.ts";
import type { Priority } from "./queue.ts";

export interface WorkerPoolOptions {
  readonly controllers: readonly Controller[];
  /** The number of concurrent reconciles, of all controllers together. */
  readonly workers: number;
  readonly clock: Clock;
  /** Called each time that no key is ready and no reconcile runs any longer. */
  readonly onIdle?: () => void;
}

/** After this time without a pause, workers yield to I/O and timers. */
const maxTurnMs = 10;

/**
 * A bounded number of workers, shared by several controllers.
 *
 * *Expected flow*: `start` once for each controller, as soon as its keys can be reconciled; `stop` once, at the end.
 *
 * *Guarantees*: never more than `workers` reconciles at once. Keys of high priority go first, whatever their controller;
 * within one priority the controllers take turns, so that a flood of keys of one kind does not delay the others.
 * Reconciles that never wait do not block the event loop for longer than about 10 ms.
 */
export class WorkerPool {
  readonly #controllers: readonly Controller[];
  readonly #workers: number;
  readonly #clock: Clock;
  readonly #onIdle: () => void;
  readonly #active = new Set<Promise<void>>();
  /** In the order of `#controllers`. */
  #started: readonly Controller[] = [];
  #stopped = false;
  /** The index of the controller that is asked first for the next key. */
  #nextController = 0;
  #dispatchScheduled = false;
  /** When workers first ran in the current turn of the event loop; undefined if they have not. */
  #turnStartedAt: MonotonicTime | undefined;

  constructor({ controllers, workers, clock, onIdle = () => undefined }: WorkerPoolOptions) {
    this.#controllers = controllers;
    this.#workers = workers;
    this.#clock = clock;
    this.#onIdle = onIdle;
    for (const { queue } of controllers) queue.onReady = () => this.#scheduleDispatch();
  }

  /** Starts to take the keys of `controller`. @throws when called twice for one, or after `stop`. */
  start(controller: Controller): void {
    if (this.#stopped || this.#started.includes(controller))
      throw new Error(`the controller ${controller.name} can be started only once, and not after the pool was stopped`);
    this.#started = this.#controllers.filter((one) => one === controller || this.#started.includes(one));
    this.#scheduleDispatch();
  }

  /** The number of current reconciles. */
  get active(): number {
    return this.#active.size;
  }

  /**
   * Takes no more keys, waits for current reconciles, aborts them after `graceMs`, and waits until they have ended.
   * @returns whether all of them ended without being aborted.
   */
  async stop({ graceMs }: { readonly graceMs: number }): Promise<boolean> {
    this.#stopped = true;
    for (const { queue } of this.#controllers) queue.close();
    let drained = true;
    const abort = () => {
      drained = this.#active.size === 0;
      for (const controller of this.#controllers) controller.abort(new Error("the operator is stopping"));
    };
    if (graceMs <= 0) abort();
    const cancel = this.#clock.setTimer(abort, graceMs);
    await Promise.all(this.#active);
    cancel();
    return drained;
  }

  /** Schedules one dispatch for all keys that become ready together; it never runs inside the caller. */
  #scheduleDispatch(): void {
    if (this.#dispatchScheduled || this.#stopped) return;
    this.#dispatchScheduled = true;
    this.#turnStartedAt ??= this.#startTurn();
    if (this.#clock.monotonic() - this.#turnStartedAt < maxTurnMs) queueMicrotask(() => this.#dispatch());
    else setImmediate(() => this.#dispatch());
  }

  #dispatch(): void {
    this.#dispatchScheduled = false;
    while (!this.#stopped && this.#active.size < this.#workers) {
      const controller = this.#controllerWith("high") ?? this.#controllerWith("low");
      const key = controller?.queue.take();
      if (controller === undefined || key === undefined) break;
      const run = controller.run(key).finally(() => {
        this.#active.delete(run);
        this.#scheduleDispatch();
      });
      this.#active.add(run);
    }
    if (!this.#stopped && this.#active.size === 0) this.#onIdle();
  }

  #controllerWith(priority: Priority): Controller | undefined {
    for (let step = 0; step < this.#started.length; step++) {
      const index = (this.#nextController + step) % this.#started.length;
      const controller = this.#started[index];
      if (controller?.queue.hasReady(priority) !== true) continue;
      this.#nextController = (index + 1) % this.#started.length;
      return controller;
    }
    return undefined;
  }

  /** Starts a turn, which ends when the event loop has handled I/O and timers. */
  #startTurn(): MonotonicTime {
    setImmediate(() => {
      this.#turnStartedAt = undefined;
    });
    return this.#clock.monotonic();
  }
}
