import { finalizer } from "#src/api/custom-resource.ts";
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
 * have been no leader, or somebody deleted the Lease: there was none only if no object carries our finalizer, because it is
 * added before anything is created on the platform.
 */
export function settleTimes(
  acquired: Acquisition,
  caches: ResourceStores,
  leadingSince: MonotonicTime,
  settleMs: number,
): SettleTimes {
  const isFirstLeader = acquired === "created" && hasNoFinalizer(caches);
  return {
    settledAt: isFirstLeader || acquired === "released" ? leadingSince : leadingSince + settleMs,
    soleLeaderSince: isFirstLeader ? leadingSince : leadingSince + maxWatchDelayMs,
  };
}

/** Whether no object carries our finalizer; false also if a kind has not been read. */
function hasNoFinalizer(caches: ResourceStores): boolean {
  for (const cache of caches.values()) {
    if (!cache.synced) return false;
    for (const { metadata } of cache.values()) if (metadata.finalizers?.includes(finalizer) === true) return false;
  }
  return true;
}
