import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, objectOf } from "#src/kinds/marker.ts";
import { keyOf } from "#src/kube/object.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { Changes } from "./change.ts";
import type { Enqueue } from "./enqueue.ts";
import { wakeRoleUsers } from "./role-users.ts";

/** How long after a list showed that a role changed those that depend on it are looked at: most changes are corrected by then. */
const correctionMs = 2_000;

/** The objects of resources that a list showed to have changed, and those that depend on what these allow. */
export function wakeObjectsOfChanged(
  sources: Sources,
  { session, kind, changed }: Changes["platform"],
  enqueue: Enqueue,
): void {
  for (const uid of changed)
    for (const cached of objectsOf(sources, session, kind, uid)) {
      enqueue(kind.name, keyOf(cached), { priority: "low" });
      wakeRoleUsers(sources, kind, cached, enqueue, { delayMs: correctionMs });
    }
}

/** The objects of an external resource: those that claim its uid, and the one whose marker it carries. */
function objectsOf({ stores }: Sources, session: PlatformSession, kind: Kind, uid: string): readonly CachedResource[] {
  const external = session.viewOf(kind.collection).stateOf(uid);
  const marker = external.is === "present" ? carriedMarker(external.resource) : undefined;
  const store = stores.get(kind.name);
  const claimants = store.index("claims", uid);
  const marked = marker === undefined ? [] : store.index("object", objectOf(marker));
  return [...claimants, ...marked.filter((cached) => !claimants.includes(cached))];
}
