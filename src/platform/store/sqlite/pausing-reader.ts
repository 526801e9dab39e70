import { serveOthers } from "../../shares/serve-others.ts";
import type { Query, Reader, Statement } from "../database.ts";

/** How long statements are run without a pause (ms). One that has begun is completed. */
const maximumTime = 5;

/** A read was given up, because it would have paused more often than it may. */
export class LongReadError extends Error {
  override readonly name = "LongReadError";
}

/**
 * The reader of one read, whose statements block the event loop, and which therefore lets it serve others between them: a read
 * of many statements delays the reads after it on its connection, but nothing else.
 */
export class PausingReader implements Reader {
  readonly #reader: Reader;
  #free: number;
  readonly #maximumPauses: number;
  #pauses = 0;
  #givenUp: LongReadError | undefined;

  /**
   * @param free when the event loop was free for the last time, as far as is known
   * @param maximumPauses after which no further statement is run
   */
  constructor(reader: Reader, free: number, maximumPauses: number) {
    this.#reader = reader;
    this.#free = free;
    this.#maximumPauses = maximumPauses;
  }

  /** When the event loop was free for the last time, as far as is known. */
  get free(): number {
    return this.#free;
  }

  /** How often it has paused. */
  get pauses(): number {
    return this.#pauses;
  }

  /** The error of the statement that was refused, if one was. */
  get givenUp(): LongReadError | undefined {
    return this.#givenUp;
  }

  /** @throws LongReadError */
  all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return this.#run(() => this.#reader.all(statement, parameters));
  }

  /** @throws LongReadError */
  first<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined> {
    return this.#run(() => this.#reader.first(statement, parameters));
  }

  /** @throws LongReadError */
  query<R>(query: Query<R>): Promise<R[]> {
    return this.#run(() => this.#reader.query(query));
  }

  #run<T>(statement: () => Promise<T>): Promise<T> {
    return performance.now() - this.#free < maximumTime ? statement() : this.#afterPause(statement);
  }

  async #afterPause<T>(statement: () => Promise<T>): Promise<T> {
    if (this.#pauses === this.#maximumPauses) throw (this.#givenUp ??= new LongReadError("the read takes too long"));
    this.#pauses += 1;
    await serveOthers();
    this.#free = performance.now();
    return statement();
  }
}
