import { closeSync, openSync } from "node:fs";
import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";

/** The extended codes of SQLite's errors have the code in their lowest byte. */
const sqliteBusy = 5;

/** Longer than a process holds the lock: one request, which has a time limit, and a write. */
const maxWaitMs = seconds(30);
const pauseMs = 25;

/** Without a journal in a file, which the transaction would create and write at once. */
const lock = "PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE";

export interface ProcessLockOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` while no other process, and no other call in this one, holds the lock of the same file. The file stays empty.
 *
 * Node has no `flock`, and a file that a process creates as a lock would outlive a process that is killed. SQLite takes the
 * locks of the operating system, which end with the process; an exclusive transaction without a write takes the lock and
 * touches nothing else, so that it works on a full disk.
 * @throws {Error} if the lock is not free within 30 s, or the reason of `signal` while it waits
 */
export async function withProcessLock<T>(
  path: string,
  { clock, signal }: ProcessLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const release = await acquire(path, { clock, signal });
  try {
    return await work();
  } finally {
    release();
  }
}

async function acquire(path: string, { clock, signal }: ProcessLockOptions): Promise<() => void> {
  // Only the commands that renew or write wait for its load.
  const { DatabaseSync: Database } = await import("node:sqlite");
  createPrivately(path);
  const deadline = clock.monotonic() + maxWaitMs;
  for (;;) {
    signal.throwIfAborted();
    // A wait within SQLite would block the process, so that Ctrl-C had no effect.
    const database = new Database(path, { timeout: 0 });
    try {
      database.exec(lock);
      return () => database.close();
    } catch (error) {
      database.close();
      if (!isBusy(error))
        throw new Error(`the file ${path} cannot be locked: ${(error as Error).message}`, { cause: error });
    }
    if (clock.monotonic() > deadline)
      throw new Error(
        `another process has used the credentials for ${maxWaitMs / 1000} s; wait for it or end it: it holds ${path}`,
      );
    await clock.sleep(pauseMs, signal);
  }
}

/** SQLite would create the file for everybody to read, as far as the umask permits. */
function createPrivately(path: string): void {
  try {
    // Closing a file ends the locks that this process holds on it, so an existing one is not opened.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function isBusy(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === sqliteBusy;
}
