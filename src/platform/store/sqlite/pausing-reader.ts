import { serveOthers } from "../../shares/serve-others.ts";
import type { Query, Reader, Statement } from "../database.ts";

/** How long statements are run without a pause (ms). One that has begun is completed. */
const maximumTime = 10;

/**
 * A reader whose statements block the event loop, and which therefore lets it serve others between them: a read of many
 * statements delays other reads until its end, but nothing else.
 */
export class PausingReader implements Reader {
  readonly #reader: Reader;
  /** When the event loop was free for the last time, as far as is known here. */
  #free = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return this.#run(() => this.#reader.all(statement, parameters));
  }

  first<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined> {
    return this.#run(() => this.#reader.first(statement, parameters));
  }

  query<R>(query: Query<R>): Promise<R[]> {
    return this.#run(() => this.#reader.query(query));
  }

  /** The statements that follow begin a new turn of the event loop. */
  beginTurn(): void {
    this.#free = performance.now();
  }

  #run<T>(statement: () => Promise<T>): Promise<T> {
    return performance.now() - this.#free < maximumTime ? statement() : this.#afterPause(statement);
  }

  async #afterPause<T>(statement: () => Promise<T>): Promise<T> {
    await serveOthers();
    this.beginTurn();
    return statement();
  }
}
