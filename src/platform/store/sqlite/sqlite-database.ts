import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { type Share, unattributedShares } from "../../shares/share.ts";
import { Compiler, sqliteDialect } from "../compiler.ts";
import {
  type Query,
  type Reader,
  type Statement,
  type Database,
  DatabaseUnavailableError,
  type WritePriority,
  type Writer,
} from "../database.ts";
import { type Job, JobQueue, type NextJob } from "../job-queue.ts";
import { Checkpointer } from "./checkpointer.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { type DiskEvent, DiskFullError, DiskSpace, isFull } from "./disk-space.ts";
import { migrateSqlite } from "./migrate.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { ReadLanes } from "./read-lanes.ts";

/** How long to wait while another process locks the file (ms). The wait blocks the event loop, so it is short. */
const busyTimeout = 2_000;
/** Holds the upper levels of all indexes of a million resources. */
const defaultCacheMiB = 16;

export interface SqliteOptions {
  /** The page cache of each of the three connections. */
  readonly cacheMiB?: number;
  /** What is kept for reserved writes, in a file next to the data; nothing by default. */
  readonly reserve?: DiskReserveOptions | undefined;
}

export interface DiskReserveOptions {
  /** The space in bytes. */
  readonly size: number;
  readonly report: (event: DiskEvent) => void;
}

/** The pages of the log (4 KiB) at which a commit makes a checkpoint itself. */
const longLog = 16_000;
/** The length of the log (bytes) after which the checkpointer makes one: about 500 creates, which change 5,000 rows. */
const checkpointLength = 16 * 1024 * 1024;
/** What a changed row adds to the log (bytes), with the indexes, apart from long texts. */
const lengthPerRow = checkpointLength / 5_000;
/** Texts that are longer (characters) have pages of their own in the log. */
const longText = 2_048;
/**
 * How many batches use savepoints after one was repeated. Writes that fail late, of which a caller can send many, repeat at most one
 * batch in so many.
 */
const cautiousBatches = 100;

/**
 * The embedded database: one file with a write-ahead log. Every commit is synced to disk.
 *
 * Group commit: the writes that arrive in one turn of the event loop share one transaction, and therefore one sync. Their
 * promises resolve after the commit. A savepoint for each write would cost as much as a sixth of a create, because SQLite copies
 * each page that changes in it. So there is none at first: a write that fails before it has changed a row leaves nothing behind, and
 * after any other failure the batch is rolled back, and its other writes are repeated with savepoints.
 *
 * A batch ends after some milliseconds, and the event loop serves its other events before the next one.
 *
 * A full disk: a reserve is released, and only reserved writes are admitted, until there is space again. The log is copied to the file
 * at once, because its own space can be used again after that.
 *
 * Reads have two connections, so that long ones do not delay short ones. SQLite's calls are synchronous, so more connections
 * would use more memory without being faster.
 */
export class SqliteDatabase implements Database {
  readonly #writer: Connection;
  readonly #checkpointer: Checkpointer;
  readonly #reads: ReadLanes;
  readonly #space: DiskSpace;
  readonly #writes = new JobQueue<Writer>({ endOfTurn, batchTime: 10, runBatch: (next) => this.#runWrites(next) });
  /** How many of the next batches use savepoints from the start. */
  #cautious = 0;

  /**
   * @param path of the file, which is created if it does not exist; its schema is migrated to the current version
   * @throws UnsupportedSchemaError
   */
  constructor(path: string, { cacheMiB = defaultCacheMiB, reserve }: SqliteOptions = {}) {
    // Only the owner may access the file. SQLite creates the log and its index with the same mode.
    closeSync(openSync(path, "a", 0o600));
    const database = new DatabaseSync(path, { timeout: busyTimeout });
    database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory");
    // The checkpointer is faster than this, unless rows are large or it fails.
    database.exec(`pragma wal_autocheckpoint = ${longLog}`);
    // A negative number is in KiB.
    const cacheSize = `pragma cache_size = -${cacheMiB * 1024}`;
    database.exec(cacheSize);
    migrateSqlite(database);
    const file = reserve === undefined ? undefined : new DiskReserve(`${path}.reserve`, reserve.size);
    this.#space = new DiskSpace(file, () => performance.now(), reserve?.report ?? (() => {}));
    this.#checkpointer = new Checkpointer(path, checkpointLength);
    const compiler = new Compiler(sqliteDialect);
    this.#writer = new Connection(database, compiler);
    this.#reads = new ReadLanes(() => {
      const readOnly = new DatabaseSync(path, { readOnly: true, timeout: busyTimeout });
      readOnly.exec(`${cacheSize}; pragma temp_store = memory`);
      return new Connection(readOnly, compiler);
    });
  }

  read<T>(work: (reader: Reader) => Promise<T>, shares = unattributedShares): Promise<T> {
    return this.#reads.read(work, shares);
  }

  write<T>(
    work: (writer: Writer) => Promise<T>,
    shares = unattributedShares,
    priority: WritePriority = "normal",
  ): Promise<T> {
    if (priority === "reserved") return this.#writeReserved(work, shares);
    return this.#writes.add((writer) => {
      this.#space.requireSpace();
      return work(writer);
    }, shares);
  }

  async #writeReserved<T>(work: (writer: Writer) => Promise<T>, shares: readonly Share[]): Promise<T> {
    try {
      return await this.#writes.add(work, shares);
    } catch (error) {
      // The batch has found the disk full, and released the reserve.
      if (error instanceof DiskFullError) return this.#writes.add(work, shares);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#reads.close();
    await this.#writes.idle();
    this.#writer.close();
    await this.#checkpointer.close();
  }

  async #runWrites(next: NextJob<Writer>): Promise<void> {
    const jobs: Job<Writer>[] = [];
    let settle: (() => void)[] = [];
    let before = 0;
    const textBefore = this.#writer.longTextLength;
    const repeatOthers = async () => {
      this.#cautious = cautiousBatches;
      this.#writer.exec("rollback");
      this.#writer.exec("begin immediate");
      settle = [];
      for (const job of jobs.slice(0, -1)) settle.push(await this.#runInSavepoint(job));
    };
    try {
      if (this.#cautious > 0) this.#cautious -= 1;
      this.#writer.exec("begin immediate");
      before = this.#writer.totalChanges();
      for (let job = next(); job !== undefined; job = next()) {
        jobs.push(job);
        const settleJob = await (this.#cautious > 0 ? this.#runInSavepoint(job) : this.#runDirectly(job, repeatOthers));
        settle.push(settleJob);
      }
      this.#writer.exec("commit");
    } catch (error) {
      // The whole batch failed, for example because the disk is full: nothing of it is kept, so every write fails.
      this.#writer.rollbackIfOpen();
      const unavailable = this.#unavailable(error);
      for (let job = next(); job !== undefined; job = next()) jobs.push(job);
      for (const { reject } of jobs) reject(unavailable);
      return;
    }
    for (const settleJob of settle) settleJob();
    const rows = this.#writer.totalChanges() - before;
    const length = rows * lengthPerRow + (this.#writer.longTextLength - textBefore);
    this.#checkpointer.committed(length, () => this.#copyRest());
  }

  #unavailable(error: unknown): DatabaseUnavailableError {
    if (!isFull(error)) return new DatabaseUnavailableError("the write could not be committed", { cause: error });
    if (this.#space.ranOut()) this.#copyRest();
    return new DiskFullError("the disk is full", { cause: error });
  }

  #copyRest(): void {
    try {
      this.#writer.exec("pragma wal_checkpoint(passive)");
    } catch {
      // The log keeps what was not copied, and the next checkpoint tries again, as after one that SQLite makes by itself.
    }
  }

  /**
   * Runs a job without a savepoint.
   * @param repeatOthers rolls back the batch, and repeats the jobs before this one
   * @returns what settles the job
   */
  async #runDirectly({ run, reject }: Job<Writer>, repeatOthers: () => Promise<void>): Promise<() => void> {
    const before = this.#writer.totalChanges();
    try {
      return await run(this.#writer);
    } catch (error) {
      // SQLite ends the transaction by itself after some errors.
      if (!this.#writer.isTransaction || isFull(error)) throw error;
      if (this.#writer.totalChanges() !== before) await repeatOthers();
      return () => reject(error);
    }
  }

  async #runInSavepoint({ run, reject }: Job<Writer>): Promise<() => void> {
    this.#writer.exec("savepoint job");
    try {
      const resolve = await run(this.#writer);
      this.#writer.exec("release job");
      return resolve;
    } catch (error) {
      if (!this.#writer.isTransaction || isFull(error)) throw error;
      this.#writer.exec("rollback to job");
      this.#writer.exec("release job");
      return () => reject(error);
    }
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

class Connection implements Writer {
  readonly #database: DatabaseSync;
  readonly #compiler: Compiler;
  readonly #prepared: PreparedStatements;
  #longTextLength = 0;

  constructor(database: DatabaseSync, compiler: Compiler) {
    this.#database = database;
    this.#compiler = compiler;
    this.#prepared = new PreparedStatements(database);
  }

  async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    const { sql, parameters: values } = this.#compiler.statement(statement, parameters);
    return this.#prepared.statement(sql).all(...(values as SQLInputValue[])) as R[];
  }

  async first<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined> {
    const { sql, parameters: values } = this.#compiler.statement(statement, parameters);
    return this.#prepared.statement(sql).get(...(values as SQLInputValue[])) as R | undefined;
  }

  async query<R>(query: Query<R>): Promise<R[]> {
    const { sql, parameters } = this.#compiler.query(query);
    return this.#prepared.query(sql).all(...(parameters as SQLInputValue[])) as R[];
  }

  async run<P extends object>(statement: Statement<P, unknown>, parameters: P): Promise<number> {
    const { sql, parameters: values } = this.#compiler.statement(statement, parameters);
    for (const value of values)
      if (typeof value === "string" && value.length > longText) this.#longTextLength += value.length;
    return Number(this.#prepared.statement(sql).run(...(values as SQLInputValue[])).changes);
  }

  exec(sql: string): void {
    this.#prepared.statement(sql).run();
  }

  get isTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction;
  }

  /** How many rows this connection has inserted, changed and deleted, including those that were rolled back. */
  totalChanges(): number {
    return this.#prepared.statement("select total_changes() as changes").get()?.["changes"] as number;
  }

  /** The length (characters) of all long texts that this connection has written, including those that were rolled back. */
  get longTextLength(): number {
    return this.#longTextLength;
  }

  rollbackIfOpen(): void {
    if (this.isTransaction) this.exec("rollback");
  }

  close(): void {
    this.#database.close();
  }
}
