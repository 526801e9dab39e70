/**
 * The probes of an outage of writes. Nothing can be written only to see whether that works, so the next write that somebody
 * wants to make is the trial.
 *
 * Guarantees: one trial at a time. It ends with what its write ended with, which may say nothing of the platform: the write was
 * stopped, or not sent. There is no timer: a trial waits until somebody writes.
 */
export class TrialWrites {
  #wanted: PromiseWithResolvers<void> | undefined;
  readonly #listeners = new Set<() => void>();

  /** Whether the next write is to be made with `run`. */
  get wanted(): boolean {
    return this.#wanted !== undefined;
  }

  /** Calls `listener` when a trial is wanted, until `signal` aborts. */
  onWanted(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  /** Asks for a trial. Must not be called while one is wanted. Resolves or rejects as its write does, and never if nobody writes. */
  request(): Promise<void> {
    const wanted = Promise.withResolvers<void>();
    this.#wanted = wanted;
    for (const listener of this.#listeners) listener();
    return wanted.promise;
  }

  /** Makes the wanted trial. @throws what `write` throws. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    const trial = this.#wanted;
    this.#wanted = undefined;
    try {
      const result = await write();
      trial?.resolve();
      return result;
    } catch (error) {
      trial?.reject(error);
      throw error;
    }
  }
}
