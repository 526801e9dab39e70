import { type Database, statement } from "./database.ts";

const anyKey = statement((db) => db.selectFrom("signing_keys").select("kid").limit(1));

/** A database that has not responded after this time is unavailable (ms). */
const timeout = 2_000;

/** Whether the database responds. Concurrent callers share one read. */
export class DatabaseHealth {
  readonly #database: Database;
  readonly #timeout: number;
  #check: Promise<boolean> | undefined;

  /** @param limit milliseconds after which a read that has not ended counts as failed */
  constructor(database: Database, limit = timeout) {
    this.#database = database;
    this.#timeout = limit;
  }

  isUp(): Promise<boolean> {
    this.#check ??= this.#read().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  async #read(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), this.#timeout);
    const read = this.#database
      .read((reader) => reader.first(anyKey, {}))
      .then(
        () => true,
        () => false,
      );
    const isUp = await Promise.race([read, late]);
    clearTimeout(timer);
    return isUp;
  }
}
