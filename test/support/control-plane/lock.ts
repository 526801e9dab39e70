import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

interface LockOptions {
  readonly progress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` while this process alone holds the lock file, which tells its holder's process id.
 * Another process's lock is waited for by looking at it again and again (files of other processes send no event that
 * every system delivers); one whose holder has died is taken over. Two that take it over in the same instant may both
 * get it, so `work` must be harmless when it is done twice.
 */
export async function withLock(
  path: string,
  { progress, signal }: LockOptions,
  work: () => Promise<void>,
): Promise<void> {
  let told = false;
  while (!(await take(path))) {
    const holder = Number(await readFile(path, "utf8").catch(() => ""));
    if ((holder > 0 && !isAlive(holder)) || (await isOld(path))) {
      await rm(path, { force: true });
      continue;
    }
    if (!told) progress?.(`waiting for process ${holder}, which is building it already`);
    told = true;
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

/** Nothing that is guarded takes so long: the number of a dead holder was given to another process. */
const oldMs = 3_600_000;

async function isOld(path: string): Promise<boolean> {
  const taken = await stat(path).catch(() => undefined);
  return taken !== undefined && Date.now() - taken.mtimeMs > oldMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
