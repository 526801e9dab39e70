import { readyCondition } from "#src/api/condition.ts";
import { expiryOf } from "#src/kinds/expiry.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { Clock } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import type { Enqueue } from "./wake/enqueue.ts";
import type { Sources } from "./observe/sources.ts";

export interface ExpiryChecksOptions {
  readonly kinds: readonly Kind[];
  readonly stores: Sources["stores"];
  readonly clock: Clock;
  readonly enqueue: Enqueue;
}

const intervalMs = minutes(1);

/**
 * Enqueues the objects whose grants have expired, once a minute, until `signal` aborts. Each object has a timer for its
 * expiry, but timers are monotonic: a wall clock that is set forward, or a machine that was suspended, makes them late. At
 * rest, a check is one pass over the objects and enqueues nothing.
 */
export async function runExpiryChecks({ kinds, stores, clock, enqueue }: ExpiryChecksOptions, signal: AbortSignal) {
  while (!signal.aborted) {
    await clock.sleep(intervalMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    const now = clock.now();
    for (const { name } of kinds)
      for (const cached of stores.get(name).values()) {
        const expiry = expiryOf(cached);
        if (expiry === undefined || expiry.at > now) continue;
        if (readyCondition(cached.resource)?.reason !== "Expired") enqueue(name, keyOf(cached), {});
      }
  }
}
