import { type Database, statement } from "./database.ts";

const anyKey = statement((db) => db.selectFrom("signing_keys").select("kid").limit(1));

/** A database that has not responded after this time is unavailable (ms). */
const timeout = 2_000;

/** Whether the database responds. However often it is asked, there is one read at a time, even while none of them ends. */
export class DatabaseHealth {
  readonly #database: Database;
  readonly #timeout: number;
  #read: Promise<boolean> | undefined;

  /** @param limit milliseconds after which a read that has not ended counts as failed */
  constructor(database: Database, limit = timeout) {
    this.#database = database;
    this.#timeout = limit;
  }

  async isUp(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), this.#timeout);
    try {
      return await Promise.race([this.#sharedRead(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #sharedRead(): Promise<boolean> {
    this.#read ??= this.#database
      .read((reader) => reader.first(anyKey, {}))
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#read = undefined;
      });
    return this.#read;
  }
}
