import { setTimeout as sleep } from "node:timers/promises";

/** Repeats `read` until its result is as wanted, for systems without a watch. */
export async function poll<T>(read: () => Promise<T>, wanted: (result: T) => boolean, everyMs: number): Promise<T> {
  for (;;) {
    const result = await read();
    if (wanted(result)) return result;
    await sleep(everyMs);
  }
}
