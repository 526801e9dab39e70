import type { Clock, MonotonicTime } from "#src/time/clock.ts";

export interface GatheredReadsOptions<Request, Result> {
  /** Reads for all callers of one turn. */
  readonly read: (requests: readonly Request[]) => Promise<Result>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The callers whose read has not started yet. */
interface Turn<Request, Result> {
  readonly requests: Request[];
  /** Starts the read without waiting for more callers. */
  readonly start: () => void;
  readonly result: Promise<Result>;
}

/** How long a read that several callers share waits for more of them, since the one before it started. */
const gatherMs = 100;

/** A read for which this many callers wait does not wait for more: nearly all workers could stand still. */
const enoughCallers = 12;

/**
 * Reads that each start after their caller asked. Who asks while nobody else does is served at once. When several ask in quick
 * succession, they share reads: one serves all who ask within a tenth of a second.
 */
export class GatheredReads<Request, Result> {
  readonly #options: GatheredReadsOptions<Request, Result>;
  #next: Turn<Request, Result> | undefined;
  #inFlight = 0;
  #lastCallers = 0;
  #lastStartedAt: MonotonicTime | undefined;

  constructor(options: GatheredReadsOptions<Request, Result>) {
    this.#options = options;
  }

  /** Joins the next read. @throws what the read throws, or the reason of the signal */
  join(request: Request): Promise<Result> {
    this.#next ??= this.#gather();
    const { requests, start, result } = this.#next;
    requests.push(request);
    if (requests.length >= enoughCallers) start();
    return result;
  }

  #gather(): Turn<Request, Result> {
    const requests: Request[] = [];
    const started = Promise.withResolvers<void>();
    return { requests, start: started.resolve, result: this.#readOnce(requests, started.promise) };
  }

  async #readOnce(requests: readonly Request[], started: Promise<void>): Promise<Result> {
    await this.#untilGathered(started);
    this.#next = undefined;
    this.#lastStartedAt = this.#options.clock.monotonic();
    this.#lastCallers = requests.length;
    this.#inFlight += 1;
    try {
      return await this.#options.read(requests);
    } catch (error) {
      // In an outage reads fail at once and cost nothing: nobody waits for that.
      this.#lastCallers = 0;
      throw error;
    } finally {
      this.#inFlight -= 1;
    }
  }

  async #untilGathered(started: Promise<void>): Promise<void> {
    const { clock, signal } = this.#options;
    signal.throwIfAborted();
    const isBurst = this.#inFlight > 0 || this.#lastCallers > 1;
    const waitMs = (this.#lastStartedAt ?? -gatherMs) + gatherMs - clock.monotonic();
    if (!isBurst || waitMs <= 0) return;
    const waiting = new AbortController();
    const ended = AbortSignal.any([signal, waiting.signal]);
    await Promise.race([started, clock.sleep(waitMs, ended)]).finally(() => waiting.abort());
  }
}
