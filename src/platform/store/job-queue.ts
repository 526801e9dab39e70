import { FairQueue } from "../shares/fair-queue.ts";
import { serveOthers } from "../shares/serve-others.ts";
import type { Share } from "../shares/share.ts";

/** A piece of work in a transaction `T` that it shares with others. */
export interface Job<T> {
  /** Does the work. Calling the result resolves the caller's promise. */
  readonly run: (tx: T) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/** Removes the next job from the queue. @returns undefined at the end of the batch; the first job is always in it */
export type NextJob<T> = () => Job<T> | undefined;

export interface JobQueueOptions<T> {
  /** Resolves at the end of the turn in which the first job arrived: its batch can contain all jobs until then. */
  readonly endOfTurn: () => Promise<void>;
  /** How long jobs are run (ms) before the batch and the turn of the event loop end. A job that has begun is completed. */
  readonly batchTime: number;
  /** The maximum number of jobs in a batch; no limit by default. */
  readonly maximumBatch?: number;
  /** Runs a batch in one transaction. It settles every job of the batch, and never rejects. */
  readonly runBatch: (next: NextJob<T>) => Promise<void>;
}

/** Jobs of one turn of the event loop that need no order, because each of them waits for few others. */
const few = 32;

interface WaitingJob<T> extends Job<T> {
  readonly shares: readonly Share[];
}

/**
 * Collects the jobs that arrive in one turn of the event loop and runs them together, in an order that is fair to those whose
 * shares they use. Jobs that arrive while a batch runs wait for the next one, because a read may follow a write that the
 * transaction of the running batch does not see.
 */
export class JobQueue<T> {
  readonly #options: JobQueueOptions<T>;
  readonly #waiting = new FairQueue<WaitingJob<T>>();
  /** Jobs that may not be in the running batch. */
  #arrived: WaitingJob<T>[] = [];
  #running: Promise<void> | undefined;

  constructor(options: JobQueueOptions<T>) {
    this.#options = options;
  }

  /**
   * Runs the work with one of the next batches.
   * @param shares of those for whom the work is
   * @returns its result, once the batch has resolved the job
   */
  add<R>(work: (tx: T) => Promise<R>, shares: readonly Share[]): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const run = async (tx: T) => {
        const value = await work(tx);
        return () => resolve(value);
      };
      this.#arrived.push({ run, reject, shares });
      this.#running ??= this.#options.endOfTurn().then(() => this.#run());
    });
  }

  /** Resolves when no job waits or runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { batchTime } = this.#options;
    let turn = performance.now();
    for (;;) {
      const arrived = this.#arrived;
      this.#arrived = [];
      // While nobody waits, a few jobs are run in the order of their arrival.
      const direct = this.#waiting.size === 0 && arrived.length <= few ? arrived : [];
      if (direct.length === 0) this.#wait(arrived);
      if (direct.length === 0 && this.#waiting.size === 0) break;
      const end = await this.#runBatch(direct);
      if (end - turn < batchTime) continue;
      await serveOthers();
      turn = performance.now();
    }
    this.#waiting.clear();
    this.#running = undefined;
  }

  #wait(jobs: readonly WaitingJob<T>[]): void {
    for (const job of jobs) this.#waiting.add(job.shares, job);
  }

  /**
   * @param direct the jobs to run before those that wait; the jobs of it that do not fit wait then
   * @returns the time of its end
   */
  async #runBatch(direct: readonly WaitingJob<T>[]): Promise<number> {
    const { runBatch, batchTime, maximumBatch = Number.POSITIVE_INFINITY } = this.#options;
    let [count, started, taken]: [number, number, number] = [0, 0, 0];
    let current: WaitingJob<T> | undefined;
    /** What follows from a job until the next one begins, such as writing its response, counts as a part of it. */
    const charge = () => {
      const now = performance.now();
      if (current !== undefined) this.#waiting.charge(current.shares, now - taken);
      taken = now;
      return now;
    };
    await runBatch(() => {
      const now = charge();
      if (count === 0) started = now;
      const isOver = count >= maximumBatch || (count > 0 && now - started >= batchTime);
      current = undefined;
      if (isOver) return undefined;
      const job = direct[count];
      count += 1;
      if (job !== undefined) return job;
      current = this.#waiting.take();
      return current;
    });
    this.#wait(direct.slice(count));
    return charge();
  }
}
