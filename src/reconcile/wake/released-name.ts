import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { Changes } from "./change.ts";
import { wakeConflictsOverName } from "./conflicts.ts";
import type { Enqueue } from "./enqueue.ts";

/** A resource has the name no longer. Other sessions, which have not seen that, read it before they rely on it. */
export function wakeAfterNameReleased(
  sources: Sources,
  { session, kind, name, uid }: Changes["nameReleased"],
  enqueue: Enqueue,
): void {
  const { collection } = kind;
  const parent = collection.uids.parentOf(uid);
  for (const other of sources.tenancy.sessions) {
    if (other === session || parent === undefined) continue;
    const view = other.viewOf(collection);
    if (view.named(parent, name).some((known) => known.uid === uid)) view.recordStale(uid);
  }
  wakeConflictsOverName(sources, kind, name, enqueue);
}
