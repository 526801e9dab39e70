import { keyOf } from "#src/kube/object.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { Changes } from "./change.ts";
import type { Enqueue } from "./enqueue.ts";

/**
 * After a DELETE of ours that took effect, or may have: the objects that claim the resource look again, except the one that
 * deleted it, and no other session relies on what it has seen of the resource.
 * @param by the key of the object that deleted it, if it is of the same kind.
 */
export function wakeAfterDeletion(
  { stores, tenancy }: Pick<Sources, "stores" | "tenancy">,
  { session, kind, uid, by }: Changes["deleted"],
  enqueue: Enqueue,
): void {
  for (const other of tenancy.sessions) if (other !== session) other.viewOf(kind.collection).recordStale(uid);
  for (const cached of stores.get(kind.name).index("claims", uid))
    if (keyOf(cached) !== by) enqueue(kind.name, keyOf(cached), {});
}
