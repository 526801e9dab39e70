/** A read that may fail or never end. However often it is asked, there is one at a time. */
export class PromptRead<T> {
  readonly #read: () => Promise<T>;
  readonly #limit: number;
  #pending: Promise<T | undefined> | undefined;

  /** @param limit milliseconds after which a read that has not ended counts as failed */
  constructor(read: () => Promise<T>, limit: number) {
    this.#read = read;
    this.#limit = limit;
  }

  /** @returns undefined if the read fails, or is late */
  async value(): Promise<T | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), this.#limit);
    try {
      return await Promise.race([this.#shared(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #shared(): Promise<T | undefined> {
    this.#pending ??= this.#read()
      .catch(() => undefined)
      .finally(() => {
        this.#pending = undefined;
      });
    return this.#pending;
  }
}
