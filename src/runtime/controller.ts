import type { TraceParent, Tracer } from "#src/telemetry/tracer.ts";
import type { Clock } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import { Backoff } from "./backoff.ts";
import { type AddOptions, type QueueMetrics, WorkQueue } from "./queue.ts";

/** What a reconcile returns. */
export type Result =
  /** The key is not reconciled again until it is added. */
  | { readonly type: "done" }
  /** The key is reconciled again after `ms`, with low priority, or earlier if it is added. Not a failure. */
  | { readonly type: "requeueAfter"; readonly ms: number }
  /** The key is retried with backoff, and not before `retryAfterMs`. */
  | { readonly type: "failed"; readonly error: unknown; readonly retryAfterMs?: number };

/** What a controller reports, for the metrics `controller_runtime_*` and `workqueue_*` that dashboards know. */
export interface ControllerMetrics extends QueueMetrics {
  reconciled(controller: string, result: "success" | "requeue_after" | "error", seconds: number): void;
  activeWorkers(controller: string, workers: number): void;
  retried(controller: string): void;
}

/** A failed reconcile, reported once, for the log. */
export interface ReconcileFailure {
  readonly controller: string;
  readonly key: string;
  readonly error: unknown;
  /** The number of consecutive failures of this key. */
  readonly failures: number;
  readonly retryInMs: number;
}

export interface ControllerOptions {
  /** The name in metrics and logs: `group`. */
  readonly name: string;
  /**
   * Reconciles one key. An exception is a failure; a numeric `retryAfterMs` on it is honoured. `signal` aborts at the
   * deadline, and when the worker pool stops without waiting any longer. It may call `observes` just before it reads
   * everything that it decides from: what was added until then needs no further run.
   */
  readonly reconcile: (key: string, signal: AbortSignal, observes: () => void) => Promise<Result>;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** The deadline for one reconcile; default: 60 s. */
  readonly deadlineMs?: number;
  readonly metrics?: ControllerMetrics;
  /** Keys wait in lines that take turns; see `WorkQueue`. */
  readonly lineOf?: (key: string) => string;
  readonly onFailure?: (failure: ReconcileFailure) => void;
  readonly tracer?: Tracer | undefined;
}

/** Why a key was added. */
interface Cause {
  readonly parent: TraceParent;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A reconcile did not end before its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/**
 * Reconciles the keys of one kind.
 *
 * *Expected flow*: watch handlers `enqueue` keys; a `WorkerPool` takes them from the queue and calls `run` for each; the
 * result decides when the key is reconciled again.
 *
 * *Guarantees*: a key is never reconciled twice at once. Every run ends with `queue.done`, whatever `reconcile` does.
 *
 * *Errors*: a failed key is retried with backoff, and the failure is reported to `onFailure`. A run that is aborted
 * because the process stops is not a failure. Success resets the backoff; `enqueue` ends the delay but not the backoff.
 */
export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: ControllerOptions;
  readonly #backoff: Backoff;
  readonly #running = new Set<AbortController>();
  /** Of keys in the queue. Empty without a tracer. */
  readonly #causes = new Map<string, Cause>();
  #active = 0;

  constructor(options: ControllerOptions) {
    const { name, clock, metrics, lineOf, random } = options;
    this.name = name;
    this.#options = options;
    this.#backoff = new Backoff(random);
    this.queue = new WorkQueue({
      name,
      clock,
      ...(metrics === undefined ? {} : { metrics }),
      ...(lineOf === undefined ? {} : { lineOf }),
    });
  }

  /** Requests a reconcile of `key`: now, even if it is delayed or backing off, or after `delayMs`. */
  enqueue(key: string, options?: AddOptions): void {
    this.queue.add(key, options);
    const parent = this.#options.tracer?.current();
    if (parent !== undefined) this.#causes.set(key, { parent, at: this.#options.clock.now() });
  }

  /** Reconciles a key that was taken from the queue. Rejects only if a callback of the options throws. */
  async run(key: string): Promise<void> {
    const { clock, metrics, deadlineMs = minutes(1) } = this.#options;
    const abort = new AbortController();
    this.#running.add(abort);
    metrics?.activeWorkers(this.name, ++this.#active);
    const startedAt = clock.monotonic();
    const cancelDeadline = clock.setTimer(
      () => abort.abort(new DeadlineExceeded(`the reconcile took longer than ${deadlineMs} ms`)),
      deadlineMs,
    );
    let result: Result;
    try {
      result = await this.#traced(key, () =>
        this.#options.reconcile(key, abort.signal, () => {
          this.queue.observes(key);
          this.#causes.delete(key);
        }),
      );
    } catch (error) {
      result = { type: "failed", error, ...retryAfterOf(error) };
    } finally {
      cancelDeadline();
      this.#running.delete(abort);
      metrics?.activeWorkers(this.name, --this.#active);
    }
    try {
      this.#conclude(key, result, (clock.monotonic() - startedAt) / 1000, abort.signal);
    } finally {
      this.queue.done(key);
    }
  }

  /** Runs a reconcile in a trace: that of what added the key, if it is known, and how long the key waited. */
  #traced(key: string, run: () => Promise<Result>): Promise<Result> {
    const { tracer } = this.#options;
    if (tracer === undefined) return run();
    const cause = this.#causes.get(key);
    this.#causes.delete(key);
    const attributes = { "muster.key": key };
    if (cause !== undefined)
      tracer.span(`queue ${this.name}`, { parent: cause.parent, startedAt: cause.at, attributes }, () => undefined);
    return tracer.span(`reconcile ${this.name}`, { parent: cause?.parent ?? null, attributes }, async (span) => {
      const result = await run();
      span.set({ "muster.result": result.type });
      if (result.type === "failed") span.fail("the reconcile failed");
      return result;
    });
  }

  /** Aborts all current reconciles. */
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
        // The process is stopping: this says nothing about the key.
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
