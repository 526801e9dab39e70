import type { DatabaseSync, StatementSync } from "node:sqlite";
import { BoundedCache } from "../../limits/bounded-cache.ts";

/** The memory of a prepared statement, measured with long conditions: about 40 times its text, and a little more. */
const bytesOf = (sql: string) => 2_048 + 40 * sql.length;

/**
 * The prepared statements of one connection. The texts of statements are constants of the code, which are all kept. The
 * texts of queries depend on requests, so only the ones that were used last are kept. SQLite frees the others when their
 * objects are garbage collected.
 */
export class PreparedStatements {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #queries = new BoundedCache<string, StatementSync>({
    entries: 500,
    bytes: 8 * 1024 * 1024,
    entryBytes: 1024 * 1024,
  });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** An estimate of the memory of the prepared queries. */
  get queryBytes(): number {
    return this.#queries.bytes;
  }

  /** @param sql the text of a `Statement` */
  statement(sql: string): StatementSync {
    let prepared = this.#statements.get(sql);
    if (prepared === undefined) {
      prepared = this.#database.prepare(sql);
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }

  /** @param sql the text of a `Query` */
  query(sql: string): StatementSync {
    let prepared = this.#queries.get(sql);
    if (prepared === undefined) {
      prepared = this.#database.prepare(sql);
      this.#queries.set(sql, prepared, bytesOf(sql));
    }
    return prepared;
  }
}
