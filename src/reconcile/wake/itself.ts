import { keyOf } from "#src/kube/object.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { isUnhandled } from "#src/reconcile/observe/unhandled.ts";
import type { Changes } from "./change.ts";
import type { Enqueue } from "./enqueue.ts";

/**
 * How long a deletion waits if there are many: each resource is read just before it is deleted, and one list reads all those whose
 * deletion was seen meanwhile.
 */
const gatherDeletionsMs = 1_000;

/** The object that changed. The reconcile that made a write observes it itself. */
export function wakeItself(
  { states }: Pick<Sources, "states">,
  { kind, before, after, source }: Changes["object"],
  enqueue: Enqueue,
): void {
  const cached = after ?? before;
  if (cached === undefined || source === "ownWrite") return;
  const waitsForNobody = source === "list" && after !== undefined && !isUnhandled(after);
  const isDeletion = isBeingDeleted(after) && !isBeingDeleted(before);
  const gathers = isDeletion && states.get(kind.name).deletionsAreFrequent;
  enqueue(kind.name, keyOf(cached), {
    priority: waitsForNobody ? "low" : "high",
    ...(gathers ? { delayMs: gatherDeletionsMs } : {}),
  });
}

function isBeingDeleted(cached: CachedResource | undefined): boolean {
  return cached?.metadata.deletionTimestamp !== undefined;
}
