import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import type { Acquisition } from "#src/kube/leadership.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import type { ResourceStores } from "#src/reconcile/observe/resource-stores.ts";

/** A silent watch is detected after 90 s; an event can be this late before the caches show it. */
const maxWatchDelayMs = 120_000;

/** From when on nothing of an earlier leader can surprise this one. */
export interface SettleTimes {
  /** From this time on, no request of a previous leader can still take effect. */
  readonly settledAt: MonotonicTime;
  /** From this time on, an object that the watch reports as new was not seen by a previous leader, however late the watch is. */
  readonly soleLeaderSince: MonotonicTime;
}

/**
 * A leader that released its Lease has no request in flight; one whose Lease expired may have. Without a Lease there may
 * have been no leader, or somebody deleted the Lease: nothing was created on the platform only if no object may have managed
 * anything.
 */
export function settleTimes(
  acquired: Acquisition,
  caches: ResourceStores,
  leadingSince: MonotonicTime,
  settleMs: number,
): SettleTimes {
  const isFirstLeader = acquired === "created" && managedNothing(caches);
  return {
    settledAt: isFirstLeader || acquired === "released" ? leadingSince : leadingSince + settleMs,
    soleLeaderSince: isFirstLeader ? leadingSince : leadingSince + maxWatchDelayMs,
  };
}

/** Whether no object may have managed anything; false also if a kind has not been read. */
function managedNothing(caches: ResourceStores): boolean {
  for (const cache of caches.values()) {
    if (!cache.synced) return false;
    for (const { resource } of cache.values()) if (mayHaveManaged(resource)) return false;
  }
  return true;
}
