import { Pool, type PoolClient } from "pg";
import { Compiler, postgresDialect } from "../compiler.ts";
import { PostgresConnection, textTypes } from "./postgres-connection.ts";
import { connectionLost, isSerializationFailure } from "./postgres-errors.ts";
import { migratePostgres } from "./migrate.ts";
import { NewerSchemaError, type Reader, type Database, DatabaseUnavailableError, type Writer } from "../database.ts";

/** How long a call waits for a connection (ms). */
const connectionTimeout = 5_000;
/** How long a transaction waits for its replica (ms) before the database ends it. */
const defaultStallTimeout = 5_000;
/** No statement of the platform takes this long (ms) unless something is wrong. */
const statementTimeout = 30_000;
/** How often work starts anew where the database says that it collided with something. */
const maximumAttempts = 5;
/** Writes that share a commit; the lock is held as long as they take, and other replicas wait. */
const maximumBatch = 64;

export interface PostgresOptions {
  /** Connections to the database at most; calls wait for one. */
  readonly connections: number;
  /** Milliseconds after which a replica that stops in the midst of a write is cut off: other writes wait so long. */
  readonly stallTimeout?: number;
}

/**
 * The database for several replicas, which share nothing but the database.
 *
 * A write is serial with all others, on every replica: its transaction starts by locking `schema_version` against
 * other writers (readers are not kept waiting), and takes its snapshot behind that (LOCK TABLE takes none), so it sees
 * all that was committed before it and nothing comes between. A read is a snapshot, so a prefix of that order. A
 * replica that stops in the middle of a write is cut off by the database after some seconds.
 *
 * Group commit, as in the embedded database: the writes that arrive while one commits share the next transaction, each in
 * a savepoint of its own.
 */
export class PostgresDatabase implements Database {
  readonly #pool: Pool;
  readonly #compiler = new Compiler(postgresDialect);
  #queue: Job[] = [];
  #batches: Promise<void> | undefined;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; the schema is made, or brought up to date
   * @throws NewerSchemaError, StoreUnavailableError
   */
  static async open(
    url: string,
    { connections, stallTimeout = defaultStallTimeout }: PostgresOptions,
  ): Promise<PostgresDatabase> {
    const pool = new Pool({
      connectionString: url,
      application_name: "muster platform",
      max: connections,
      connectionTimeoutMillis: connectionTimeout,
      keepAlive: true,
      // Longer: who waits for a replica that was cut off gets its turn.
      lock_timeout: 2 * stallTimeout,
      idle_in_transaction_session_timeout: stallTimeout,
      statement_timeout: statementTimeout,
      types: textTypes,
    });
    // An idle connection that breaks leaves the pool; whoever needs one next gets a new one, or the error.
    pool.on("error", () => {});
    // One that breaks between two statements of a transaction: the next statement tells.
    pool.on("connect", (client) => client.on("error", () => {}));
    try {
      await migratePostgres(pool);
    } catch (error) {
      await pool.end();
      if (error instanceof NewerSchemaError || !connectionLost(error)) throw error;
      throw new DatabaseUnavailableError(`the database cannot be reached: ${text(error)}`, { cause: error });
    }
    return new PostgresDatabase(pool);
  }

  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#connect();
      const connection = new PostgresConnection(client, this.#compiler);
      try {
        const begun = connection.exec("begin isolation level repeatable read, read only");
        // Not waited for: what follows it in the connection's queue fails with it.
        begun.catch(() => {});
        const value = await work(connection);
        await begun;
        this.#endRead(client);
        return value;
      } catch (error) {
        if (error !== connection.failure) {
          this.#endRead(client);
          throw error;
        }
        client.release(true);
        if (isSerializationFailure(error) && attempt < maximumAttempts) continue;
        if (connectionLost(error)) throw new DatabaseUnavailableError("the database went away", { cause: error });
        throw error;
      }
    }
  }

  write<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async (writer: Writer) => {
        const value = await work(writer);
        return () => resolve(value);
      };
      this.#queue.push({ run, reject });
      this.#batches ??= this.#runBatches();
    });
  }

  async close(): Promise<void> {
    await this.#batches;
    await this.#pool.end();
  }

  async #runBatches(): Promise<void> {
    // Whoever writes in this turn shares the first transaction.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const jobs = this.#queue.splice(0, maximumBatch);
      try {
        for (const answer of await this.#runBatch(jobs)) answer();
      } catch (error) {
        for (const { reject } of jobs) reject(error);
      }
    }
    this.#batches = undefined;
  }

  /** @returns what answers each caller, once all of it is kept @throws StoreUnavailableError where none of it is */
  async #runBatch(jobs: readonly Job[]): Promise<(() => void)[]> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#connect();
      const connection = new PostgresConnection(client, this.#compiler);
      let step: "work" | "commit" = "work";
      try {
        await connection.exec(
          "begin isolation level repeatable read; lock table schema_version in exclusive mode; savepoint job",
        );
        const answers: (() => void)[] = [];
        for (const job of jobs) answers.push(await runInSavepoint(connection, job));
        step = "commit";
        await connection.commit();
        client.release();
        return answers;
      } catch (error) {
        // Whatever state it is in: a closed connection holds nothing.
        client.release(true);
        if (isSerializationFailure(error) && attempt < maximumAttempts) continue;
        throw step === "commit" && connectionLost(error)
          ? new DatabaseUnavailableError("the connection broke while committing", { cause: error, kept: "unknown" })
          : new DatabaseUnavailableError("the write could not be committed", { cause: error });
      }
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (cause) {
      throw new DatabaseUnavailableError(`the database cannot be reached: ${text(cause)}`, { cause });
    }
  }

  /** The caller has its answer already; the connection is free when the transaction has ended. */
  #endRead(client: PoolClient): void {
    client.query("rollback").then(
      () => client.release(),
      () => client.release(true),
    );
  }
}

interface Job {
  /** Does the work; what it returns answers the caller. */
  readonly run: (writer: Writer) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/** @throws unknown what ends the whole transaction: a collision, or a connection that is of no use any more */
async function runInSavepoint(connection: PostgresConnection, { run, reject }: Job): Promise<() => void> {
  try {
    const answer = await run(connection);
    await connection.exec("release savepoint job; savepoint job");
    return answer;
  } catch (error) {
    if (isSerializationFailure(connection.failure) || connectionLost(connection.failure)) throw connection.failure;
    await connection.exec("rollback to savepoint job");
    return () => reject(error);
  }
}

/** Never the address: it may hold a password. */
function text(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
