import type { Kind } from "#src/kinds/kind.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { waitingObjects } from "#src/reconcile/observe/waiting-objects.ts";
import type { Enqueue } from "./enqueue.ts";

// The objects that wait, of which nobody knows whether a change lets them continue. Each is looked at once.

/** The objects of all kinds that are waiting, whoever reconciles them. */
export function wakeAllWaiting({ kinds, states }: Pick<Sources, "kinds" | "states">, enqueue: Enqueue): void {
  for (const { name: kind } of kinds)
    for (const [key] of states.get(kind).waiting()) enqueue(kind, key, { priority: "low" });
}

/** The objects of a kind that are waiting, and that the session reconciles. */
export function wakeWaiting(sources: Sources, session: PlatformSession, kind: Kind, enqueue: Enqueue): void {
  for (const [key] of waitingObjects(sources, session, kind.name)) enqueue(kind.name, key, { priority: "low" });
}
