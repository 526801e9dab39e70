import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

interface LockOptions {
  readonly progress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` while this process holds the lock file, which contains the process id of its holder. It polls while
 * another process holds the lock, because file events are not portable. It takes over a lock whose holder has died. Two
 * processes that take it over at the same moment can both hold it, so `work` must be idempotent.
 */
export async function withLock(
  path: string,
  { progress, signal }: LockOptions,
  work: () => Promise<void>,
): Promise<void> {
  let reported = false;
  while (!(await take(path))) {
    const holder = Number(await readFile(path, "utf8").catch(() => ""));
    if ((holder > 0 && !isAlive(holder)) || (await isStale(path))) {
      await rm(path, { force: true });
      continue;
    }
    if (!reported) progress?.(`waiting for the build by process ${holder}`);
    reported = true;
    await sleep(300, undefined, { signal });
  }
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** No work takes this long: the holder has died, and its process id belongs to another process now. */
const staleMs = 3_600_000;

async function isStale(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => undefined);
  return file !== undefined && Date.now() - file.mtimeMs > staleMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
