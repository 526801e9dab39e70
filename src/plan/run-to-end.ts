import { settled, type VirtualClock } from "#src/time/virtual-clock.ts";
import type { ProvenReads } from "./proven-reads.ts";

/** What a step of a plan can wait for. */
export interface PlanTime {
  readonly clock: VirtualClock;
  readonly reads: Pick<ProvenReads, "nextResponse">;
}

/**
 * Lets virtual time pass until `work` has ended. A response of the real platform is waited for first: it takes no virtual time.
 * @throws {Error} if `work` waits for neither
 */
export async function runToEnd<T>(work: Promise<T>, { clock, reads }: PlanTime): Promise<T> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  work.then(end, end);
  for (;;) {
    await settled();
    if (hasEnded) return work;
    const { nextResponse } = reads;
    if (nextResponse !== undefined) {
      await nextResponse;
      continue;
    }
    const { untilNext } = clock;
    if (untilNext === undefined) throw new Error("a step of the plan waits for what does not come");
    await clock.advance(untilNext);
  }
}
