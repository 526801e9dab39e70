import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformError } from "#test/support/harness/send-json.ts";
import type { AcknowledgedWrites } from "./acknowledged-writes.ts";
import { pause, saysUnavailable } from "./patient-platform.ts";

export interface Reads {
  /** How many reads did not show a write that was acknowledged before they began. */
  stale: number;
  /** The longest time from such an acknowledgement to the beginning of a read that did not show it (ms). */
  longestStale: number;
  /** The longest time between two reads that succeeded (ms). */
  longestWait: number;
}

/** Reads the last writes that were acknowledged until `isOver`, also while the platform responds with UNAVAILABLE. */
export async function readUntil(
  isOver: () => boolean,
  platform: PlatformAdmin,
  { created, deleted, deletionSent }: AcknowledgedWrites,
): Promise<Reads> {
  const reads: Reads = { stale: 0, longestStale: 0, longestWait: 0 };
  let lastSuccess = performance.now();
  while (!isOver()) {
    const deletion = last(deleted);
    const creation = last([...created].filter(([uid]) => !deletionSent.has(uid)));
    for (const [uid, at, expected] of [
      ...(deletion === undefined ? [] : [[deletion[0], deletion[1], undefined] as const]),
      ...(creation === undefined ? [] : [[creation[0], creation[1].at, creation[1].resource] as const]),
    ]) {
      const began = performance.now();
      const collection = "claimMatch" in (created.get(uid)?.resource ?? {}) ? "identities" : "roleBindings";
      const found = await platform.get(collection, uid).catch((error: unknown) => {
        if (error instanceof PlatformError && error.status === 404) return undefined;
        if (saysUnavailable(error)) return null;
        throw error;
      });
      if (found === null) continue;
      reads.longestWait = Math.max(reads.longestWait, performance.now() - lastSuccess);
      lastSuccess = performance.now();
      if (isDeepStrictEqual(found, expected) || deletionSent.has(uid) !== (expected === undefined)) continue;
      reads.stale++;
      reads.longestStale = Math.max(reads.longestStale, began - at);
    }
    await sleep(pause / 10);
  }
  return reads;
}

function last<T>(items: Iterable<T>): T | undefined {
  return [...items].at(-1);
}
