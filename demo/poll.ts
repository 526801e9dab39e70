import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again, for systems that tell nobody of their changes. @returns the first answer that is as wanted */
export async function poll<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean, everyMs: number): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    await sleep(everyMs);
  }
}
