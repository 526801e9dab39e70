import { closeSync, existsSync, openSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import { DatabaseSync } from "node:sqlite";

/** The extended codes of SQLite's errors have the code in their lowest byte. */
const sqliteBusy = 5;

/** How long to wait for another process to release the lock, or to write its name into it (ms). */
const busyTimeout = 1_000;

/** A process that uses a data file. */
interface Holder {
  /** The command that it runs: `muster platform`. */
  readonly command: string;
  readonly pid: number;
  readonly host: string;
  /** When it took the lock (RFC 3339, UTC). */
  readonly since: string;
}

/** Another process holds the lock of a data file. */
export class DataInUseError extends Error {
  override readonly name = "DataInUseError";
  constructor(path: string, holder: Holder | undefined) {
    const who =
      holder === undefined
        ? "another process uses"
        : `"${holder.command}" (process ${holder.pid} on ${holder.host}, since ${holder.since}) uses`;
    super(`${who} ${path}`);
  }
}

/**
 * The right of one process to change the data in a SQLite file for as long as it runs. Platforms take it, and commands that need
 * them to be stopped; other commands work beside a platform.
 *
 * SQLite itself lets several processes write. Two platforms on a file would wait for each other's transactions, which blocks
 * their event loops, and refuse writes; each would have the limits of callers to itself, and the newer of two versions would
 * migrate the schema of the other.
 *
 * The lock is a transaction in a database of its own, `FILE.lock`: SQLite takes the locks of the operating system, which end
 * with the process, even after SIGKILL. The transaction only reserves the database, so that others can read who holds it.
 */
export class DataLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * @param path of the data, which need not exist; its folder must
   * @param command what the holder is called in the error that others get
   * @throws DataInUseError if another process, or this one, holds the lock
   */
  static acquire(path: string, command: string): DataLock {
    const file = `${existsSync(path) ? realpathSync(path) : path}.lock`;
    let database: DatabaseSync | undefined;
    try {
      createPrivately(file);
      database = new DatabaseSync(file, { timeout: busyTimeout });
      database.exec("begin immediate");
      writeHolder(database, command);
      database.exec("commit");
      // Whoever takes the lock between the two transactions has it.
      database.exec("begin immediate");
      return new DataLock(database);
    } catch (error) {
      const holder = isBusy(error) && database !== undefined ? readHolder(database) : undefined;
      database?.close();
      if (isBusy(error)) throw new DataInUseError(path, holder);
      throw new Error(
        `cannot lock ${file}: ${(error as Error).message}. If it is damaged, delete it while no platform runs`,
        { cause: error },
      );
    }
  }

  release(): void {
    this.#database.close();
  }
}

/** SQLite would create the file for everybody to read, as far as the umask permits. */
function createPrivately(path: string): void {
  try {
    // Closing a file ends the locks that this process has on it, so an existing one is not opened.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function writeHolder(database: DatabaseSync, command: string): void {
  const holder: Holder = { command, pid: process.pid, host: hostname(), since: new Date().toISOString() };
  database.exec("create table if not exists holder (value text not null)");
  database.exec("delete from holder");
  database.prepare("insert into holder values (?)").run(JSON.stringify(holder));
}

/** @returns undefined if the holder has not written its name yet */
function readHolder(database: DatabaseSync): Holder | undefined {
  try {
    const row = database.prepare("select value from holder").get();
    return row === undefined ? undefined : (JSON.parse(String(row["value"])) as Holder);
  } catch {
    return undefined;
  }
}

/** Whether a call of SQLite failed because of a lock of another connection. */
export function isBusy(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === sqliteBusy;
}
