import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ListScope } from "#src/platform-client/api.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import { claimedState } from "#src/reconcile/observe/claimed-state.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { Enqueue } from "./enqueue.ts";

/**
 * After a list of `scope` was recorded: the objects that record a resource in it which the list did not show. The list may
 * differ in nothing from what the session knew before, because a DELETE of ours had removed the resource already: what an
 * object says is compared with the list itself. An object that may say so, for example because a breaker holds it, is looked at
 * once for each list, without a call.
 * @param recording the objects of the session that record a uid.
 */
export function wakeMissing(
  { owners }: Pick<Sources, "owners">,
  session: PlatformSession,
  kind: Kind,
  scope: ListScope,
  recording: readonly CachedResource[],
  enqueue: Enqueue,
): void {
  const { uids } = kind.collection;
  const view = session.viewOf(kind.collection);
  const isInScope = (uid: string) =>
    "childrenOf" in scope ? uids.parentOf(uid) === scope.childrenOf : uids.isBelow(uid, scope.descendantsOf);
  for (const cached of recording) {
    const { uid } = cached.resource.status ?? {};
    if (uid === undefined || !isInScope(uid)) continue;
    if (claimedState(owners, view, cached, uid).is !== "present")
      enqueue(kind.name, keyOf(cached), { priority: "low" });
  }
}
