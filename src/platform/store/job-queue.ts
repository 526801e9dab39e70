/** A piece of work in a transaction `T` that it shares with others. */
export interface Job<T> {
  /** Does the work. Calling the result resolves the caller's promise. */
  readonly run: (tx: T) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

export interface JobQueueOptions<T> {
  /** Resolves at the end of the turn in which the first job arrived: its batch contains all jobs until then. */
  readonly endOfTurn: () => Promise<void>;
  /** The maximum number of jobs in a batch; no limit by default. */
  readonly maximumBatch?: number;
  /** Runs a batch in one transaction. It settles every job and never rejects. */
  readonly runBatch: (jobs: readonly Job<T>[]) => Promise<void>;
}

/**
 * Collects the jobs that arrive in one turn of the event loop and runs them together. Jobs that arrive while a batch runs
 * wait for the next one, because a read may follow a write that the transaction of the running batch does not see.
 */
export class JobQueue<T> {
  readonly #options: JobQueueOptions<T>;
  readonly #waiting: Job<T>[] = [];
  #running: Promise<void> | undefined;

  constructor(options: JobQueueOptions<T>) {
    this.#options = options;
  }

  /** Runs the work with the next batch. @returns its result, once the batch has resolved the job */
  add<R>(work: (tx: T) => Promise<R>): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const run = async (tx: T) => {
        const value = await work(tx);
        return () => resolve(value);
      };
      this.#waiting.push({ run, reject });
      this.#running ??= this.#options.endOfTurn().then(() => this.#run());
    });
  }

  /** Resolves when no job waits or runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { runBatch, maximumBatch = Number.POSITIVE_INFINITY } = this.#options;
    while (this.#waiting.length > 0) await runBatch(this.#waiting.splice(0, maximumBatch));
    this.#running = undefined;
  }
}
