import type { Clock } from "#src/time/clock.ts";
import { Backoff } from "./backoff.ts";
import { type AddOptions, type QueueMetrics, WorkQueue } from "./queue.ts";

/** What a reconcile came to. */
export type Result =
  /** Nothing more until something changes. */
  | { readonly type: "done" }
  /** All is well; again after `ms`, with low priority, unless something changes before. */
  | { readonly type: "requeueAfter"; readonly ms: number }
  /** Again with backoff, and not before `retryAfterMs`. */
  | { readonly type: "failed"; readonly error: unknown; readonly retryAfterMs?: number };

/** Told by a controller, in the names that dashboards know (`controller_runtime_*`). */
export interface ControllerMetrics extends QueueMetrics {
  reconciled(controller: string, result: "success" | "requeue_after" | "error", seconds: number): void;
  activeWorkers(controller: string, workers: number): void;
  retried(controller: string): void;
}

/** A reconcile that failed, for the log; told once a failure. */
export interface ReconcileFailure {
  readonly controller: string;
  readonly key: string;
  readonly error: unknown;
  /** Failures of this key in a row. */
  readonly failures: number;
  readonly retryInMs: number;
}

export interface ControllerOptions {
  /** For metrics and logs: `group`. */
  readonly name: string;
  /**
   * Does what is to be done for one key. What it throws counts as failed, and a numeric `retryAfterMs` on it is
   * respected. `signal` aborts at the deadline, and when the pool is told to end at once.
   */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Result>;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Of one reconcile; default 60 s. */
  readonly deadlineMs?: number;
  readonly metrics?: ControllerMetrics;
  readonly onFailure?: (failure: ReconcileFailure) => void;
}

/** One reconcile took longer than it may. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/** The reconciliation of one kind: its queue, its backoff and what it counts. A `WorkerPool` runs it. */
export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: ControllerOptions;
  readonly #backoff: Backoff;
  readonly #running = new Set<AbortController>();
  #active = 0;

  constructor(options: ControllerOptions) {
    const { name, clock, metrics, random } = options;
    this.name = name;
    this.#options = options;
    this.#backoff = new Backoff({ random });
    this.queue = new WorkQueue({ name, clock, ...(metrics === undefined ? {} : { metrics }) });
  }

  /** Asks for a reconcile of `key`: at once, which also ends a wait, unless `delayMs` says later. */
  enqueue(key: string, options?: AddOptions): void {
    this.queue.add(key, options);
  }

  /** As `enqueue`, with high priority; and what failed before does not count any more, as after a change of the spec. */
  wake(key: string): void {
    this.#backoff.forget(key);
    this.queue.add(key);
  }

  /** Runs one reconcile of a key that was taken from the queue, and says what follows. Never rejects. */
  async run(key: string): Promise<void> {
    const { clock, metrics, deadlineMs = 60_000 } = this.#options;
    const abort = new AbortController();
    this.#running.add(abort);
    metrics?.activeWorkers(this.name, ++this.#active);
    const started = clock.monotonic();
    const cancelDeadline = clock.setTimer(
      () => abort.abort(new DeadlineExceeded(`took longer than ${deadlineMs} ms`)),
      deadlineMs,
    );
    let result: Result;
    try {
      result = await this.#options.reconcile(key, abort.signal);
    } catch (error) {
      result = { type: "failed", error, ...retryAfterOf(error) };
    } finally {
      cancelDeadline();
      this.#running.delete(abort);
      metrics?.activeWorkers(this.name, --this.#active);
    }
    try {
      this.#conclude(key, result, (clock.monotonic() - started) / 1000, abort.signal);
    } finally {
      this.queue.done(key);
    }
  }

  /** Aborts what is running. */
  abort(reason: Error): void {
    for (const running of this.#running) running.abort(reason);
  }

  #conclude(key: string, result: Result, seconds: number, signal: AbortSignal): void {
    const { metrics, onFailure } = this.#options;
    switch (result.type) {
      case "done":
        this.#backoff.forget(key);
        metrics?.reconciled(this.name, "success", seconds);
        break;
      case "requeueAfter":
        this.#backoff.forget(key);
        metrics?.reconciled(this.name, "requeue_after", seconds);
        this.queue.add(key, { priority: "low", delayMs: result.ms });
        break;
      case "failed": {
        // Aborted from outside: the process is ending, and nothing is known to be wrong with this key.
        if (signal.aborted && !(signal.reason instanceof DeadlineExceeded)) break;
        const retryInMs = this.#backoff.next(key, result.retryAfterMs);
        metrics?.reconciled(this.name, "error", seconds);
        metrics?.retried(this.name);
        this.queue.add(key, { priority: "low", delayMs: retryInMs });
        onFailure?.({
          controller: this.name,
          key,
          error: result.error,
          failures: this.#backoff.failures(key),
          retryInMs,
        });
      }
    }
  }
}

function retryAfterOf(error: unknown): { readonly retryAfterMs?: number } {
  const ms = typeof error === "object" && error !== null && "retryAfterMs" in error ? error.retryAfterMs : undefined;
  return typeof ms === "number" ? { retryAfterMs: ms } : {};
}
