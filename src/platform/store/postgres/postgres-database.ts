import { type Client, type ClientConfig, Pool, type PoolClient } from "pg";
import { Compiler, postgresDialect } from "../compiler.ts";
import { type Reader, type Database, DatabaseUnavailableError, type Writer } from "../database.ts";
import { lookupFunction } from "../../names/lookup-function.ts";
import { NameResolver } from "../../names/name-resolver.ts";
import { unattributedShares } from "../../shares/share.ts";
import { type Job, JobQueue, type NextJob } from "../job-queue.ts";
import { UnsupportedSchemaError } from "../supported-schema.ts";
import { migratePostgres } from "./migrate.ts";
import { NamedSocket } from "./named-socket.ts";
import { PostgresConnection, typeParsers } from "./postgres-connection.ts";
import { PrimaryWatch } from "./primary-watch.ts";
import { ReadSlots } from "./read-slots.ts";
import { connectionLost, hasNoSpace, isSerializationFailure } from "./postgres-errors.ts";

/** How long a call waits for a connection (ms). */
const connectionTimeout = 5_000;
/** How long a transaction may be idle (ms) before the database ends it. */
const defaultStallTimeout = 5_000;
/** The longest time for one statement (ms); a statement that takes longer indicates a fault. */
const statementTimeout = 30_000;
/** Longer than the statement timeout, whose error a connection outlives. */
const defaultResponseTimeout = 35_000;
/** How often work is attempted that fails with a serialization failure. */
const maximumAttempts = 5;
/** The most writes that share a commit. The lock is held for all of them, while other replicas wait. */
const maximumBatch = 64;
/** How long writes run (ms) before their batch is committed. */
const batchTime = 50;

export interface PostgresOptions {
  /** The maximum number of connections to the database. */
  readonly connections: number;
  /** Milliseconds after which the database disconnects a replica that stops in the middle of a write. Other writes wait. */
  readonly stallTimeout?: number;
  /** Milliseconds after which a connection without a response to a statement is lost, because a network can lose its end, too. */
  readonly responseTimeout?: number;
  /** Resolves the host of the URL; another one for tests. */
  readonly names?: NameResolver;
}

/**
 * The database for several replicas, which share nothing else.
 *
 * A write is serial with all other writes on every replica: its transaction starts by locking `schema_version` against
 * other writers, without blocking readers, and takes its snapshot after that (LOCK TABLE takes none). It therefore sees
 * everything that was committed before it. A read is a snapshot, so it sees a prefix of that order. The database
 * disconnects a replica that stops in the middle of a write after `stallTimeout`.
 *
 * Group commit, as in the embedded database: the writes that arrive during a commit share the next transaction, each in its
 * own savepoint.
 */
export class PostgresDatabase implements Database {
  readonly #pool: Pool;
  readonly #watch: PrimaryWatch;
  readonly #compiler = new Compiler(postgresDialect);
  readonly #writes = new JobQueue<Writer>({
    endOfTurn: () => Promise.resolve(),
    batchTime,
    maximumBatch,
    runBatch: (next) => this.#runWrites(next),
  });

  readonly #reads: ReadSlots;

  private constructor(pool: Pool, watch: PrimaryWatch, connections: number) {
    this.#pool = pool;
    this.#watch = watch;
    // One connection is left to the writes, which would otherwise wait for a read to end.
    this.#reads = new ReadSlots(Math.max(1, connections - 1), connectionTimeout);
  }

  /**
   * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; its schema is created or migrated
   * @throws UnsupportedSchemaError, DatabaseUnavailableError
   */
  static async open(
    url: string,
    {
      connections,
      stallTimeout = defaultStallTimeout,
      responseTimeout = defaultResponseTimeout,
      names = new NameResolver(),
    }: PostgresOptions,
  ): Promise<PostgresDatabase> {
    // Not on the threads of the C library, where a name server that is silent would make further attempts wait for earlier ones.
    const lookup = lookupFunction(names, { shares: [], search: true });
    const config: ClientConfig = {
      connectionString: url,
      application_name: "muster platform",
      keepAlive: true,
      stream: () => new NamedSocket(lookup),
      // A statement is sent without waiting for the result of the one before it, so those that do not need it share a round trip.
      pipeline: true,
      // Longer than the stall timeout, so that writes that wait for a disconnected replica succeed.
      lock_timeout: 2 * stallTimeout,
      idle_in_transaction_session_timeout: stallTimeout,
      statement_timeout: statementTimeout,
      query_timeout: responseTimeout,
      types: typeParsers,
    };
    const watch = new PrimaryWatch(config);
    const pool = new Pool({
      ...config,
      max: connections,
      connectionTimeoutMillis: connectionTimeout,
      // oxlint-disable-next-line typescript/no-misused-promises -- The pool awaits it.
      onConnect: (client) => watch.admit(client as Client),
    });
    // An idle connection that breaks leaves the pool. The next call opens a new one or receives the error.
    pool.on("error", () => {});
    // If a connection breaks between two statements of a transaction, the next statement fails.
    pool.on("connect", (client) => client.on("error", () => {}));
    try {
      await migratePostgres(pool);
    } catch (error) {
      await watch.close();
      await pool.end();
      if (error instanceof UnsupportedSchemaError || !connectionLost(error)) throw error;
      throw new DatabaseUnavailableError(`the database is unreachable: ${text(error)}`, { cause: error });
    }
    return new PostgresDatabase(pool, watch, connections);
  }

  async read<T>(work: (reader: Reader) => Promise<T>, shares = unattributedShares): Promise<T> {
    const releaseSlot = await this.#reads.take(shares);
    let ended = Promise.resolve();
    try {
      for (let attempt = 1; ; attempt++) {
        const client = await this.#connect();
        const connection = new PostgresConnection(client, this.#compiler);
        try {
          const begun = connection.exec("begin isolation level repeatable read, read only");
          // Not awaited: the statements after it in the queue of the connection fail if it fails.
          begun.catch(() => {});
          const value = await work(connection);
          await begun;
          ended = endRead(client);
          return value;
        } catch (error) {
          // Of statements that were sent together, the work may throw the error of a later one, which only follows from the first.
          const { failure } = connection;
          if (failure === undefined) {
            ended = endRead(client);
            throw error;
          }
          client.release(true);
          if (isSerializationFailure(failure) && attempt < maximumAttempts) continue;
          if (connectionLost(failure))
            throw new DatabaseUnavailableError("the connection to the database was lost", { cause: failure });
          if (hasNoSpace(failure)) throw noSpace(failure);
          throw error;
        }
      }
    } finally {
      void ended.then(releaseSlot);
    }
  }

  write<T>(work: (writer: Writer) => Promise<T>, shares = unattributedShares): Promise<T> {
    return this.#writes.add(work, shares);
  }

  async close(): Promise<void> {
    await this.#reads.idle();
    await this.#writes.idle();
    await this.#watch.close();
    await this.#pool.end();
  }

  async #runWrites(next: NextJob<Writer>): Promise<void> {
    const jobs: Job<Writer>[] = [];
    try {
      for (const resolve of await this.#commit(jobs, next)) resolve();
    } catch (error) {
      for (let job = next(); job !== undefined; job = next()) jobs.push(job);
      for (const { reject } of jobs) reject(error);
    }
  }

  /**
   * @param jobs receives the jobs of the batch
   * @returns functions that resolve the callers' promises
   * @throws DatabaseUnavailableError if the batch failed
   */
  async #commit(jobs: Job<Writer>[], next: NextJob<Writer>): Promise<(() => void)[]> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#connect();
      const connection = new PostgresConnection(client, this.#compiler);
      let step: "work" | "commit" = "work";
      try {
        await connection.exec(
          "begin isolation level repeatable read; lock table schema_version in exclusive mode; savepoint job0",
        );
        const resolvers: (() => void)[] = [];
        const run = async (job: Job<Writer>) => resolvers.push(await runInSavepoint(connection, job, resolvers.length));
        // The jobs of an attempt before this one are run again.
        for (const job of jobs) await run(job);
        for (let job = next(); job !== undefined; job = next()) {
          jobs.push(job);
          await run(job);
        }
        step = "commit";
        await connection.commit();
        client.release();
        return resolvers;
      } catch (error) {
        // Close the connection, whatever its state: that releases its locks.
        client.release(true);
        if (isSerializationFailure(error) && attempt < maximumAttempts) continue;
        throw step === "commit" && connectionLost(error)
          ? new DatabaseUnavailableError("the connection was lost during the commit", {
              cause: error,
              outcome: "unknown",
            })
          : new DatabaseUnavailableError("the write could not be committed", { cause: error });
      }
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (cause) {
      throw new DatabaseUnavailableError(`the database is unreachable: ${text(cause)}`, { cause });
    }
  }
}

/** Ends a transaction whose result the caller already has, and then releases the connection. Never rejects. */
async function endRead(client: PoolClient): Promise<void> {
  await client.query("rollback").then(
    () => client.release(),
    () => client.release(true),
  );
}

/**
 * Runs the job in its savepoint, and then begins that of the next one. Each has a name of its own: if the beginning failed, a job
 * that rolls back would otherwise roll back to the savepoint of the job before it, whose write is reported as kept.
 * @throws unknown the error that ends the whole transaction: a serialization failure or a lost connection
 */
async function runInSavepoint(
  connection: PostgresConnection,
  { run, reject }: Job<Writer>,
  index: number,
): Promise<() => void> {
  try {
    const resolve = await run(connection);
    // Not awaited: if it fails, so do the statements after it, the next rollback to a savepoint, and the commit.
    connection.exec(`release savepoint job${index}; savepoint job${index + 1}`).catch(() => {});
    return resolve;
  } catch (error) {
    if (isSerializationFailure(connection.failure) || connectionLost(connection.failure)) throw connection.failure;
    const { failure } = connection;
    await connection.undo(`job${index}`, `job${index + 1}`);
    return () => reject(hasNoSpace(failure) ? noSpace(failure) : error);
  }
}

function noSpace(cause: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError("the server of the database has no space or memory left", { cause });
}

/** The message only. The URL may contain a password. */
function text(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
