/** A piece of work in a transaction that it shares with others. */
export interface Job {
  /** Does the work. Calling the result resolves the caller's promise. */
  readonly run: () => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the jobs that arrive in one turn of the event loop and runs them together. Jobs that arrive while others run wait
 * for the next batch, because a read may follow a write that the transaction of the running batch does not see.
 */
export class JobQueue {
  readonly #runBatch: (jobs: readonly Job[]) => Promise<void>;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  /** @param runBatch settles every job of a batch, and never rejects */
  constructor(runBatch: (jobs: readonly Job[]) => Promise<void>) {
    this.#runBatch = runBatch;
  }

  /** Runs the work with the next batch. Its result is returned after the batch has resolved the job. */
  add<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        run: async () => {
          const value = await work();
          return () => resolve(value);
        },
        reject,
      });
      this.#running ??= endOfTurn().then(() => this.#run());
    });
  }

  /** Resolves when no job waits or runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting;
      this.#waiting = [];
      await this.#runBatch(jobs);
    }
    this.#running = undefined;
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
