import { keyOf } from "#src/kube/object.ts";
import { type CachedResource, referencedKeys, referencedUids, uidKey } from "#src/reconcile/observe/cached-resource.ts";
import { recordedUid } from "#src/reconcile/observe/claims.ts";
import { objectsWithUid } from "#src/reconcile/observe/objects-with-uid.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { ObjectChange } from "./change.ts";
import type { Enqueue } from "./enqueue.ts";

/**
 * An object that waits for the deletion of others is looked at again at most this often while some of them remain: only the
 * last one lets it continue, and a group may have thousands.
 */
const remainingReferrersMs = 250;

/** The objects that wait to be deleted after one that refers to them. */
export function wakeReferents(
  { stores, states }: Pick<Sources, "stores" | "states">,
  { kind, before, after }: ObjectChange,
  enqueue: Enqueue,
): void {
  const referrer = after ?? before;
  if (referrer === undefined || !mattersToReferents(before, after)) return;
  const named = referencedKeys(kind, referrer).map((reference) => reference.split(" ") as [string, string]);
  const byUid = referencedUids(kind, referrer).flatMap((one) =>
    objectsWithUid(stores.get(one.kind), one.uid).map((cached): [string, string] => [one.kind, keyOf(cached)]),
  );
  for (const [name, key] of [...named, ...byUid]) {
    const referent = stores.get(name).get(key);
    if (referent?.metadata.deletionTimestamp === undefined) continue;
    states.get(name).clearFailure(key);
    const uid = referent.resource.status?.uid;
    const remain = [...stores.values()].some(
      (store) =>
        store.isIndexed("refersTo", `${name} ${key}`) ||
        (uid !== undefined && store.isIndexed("refersToUid", uidKey(name, uid))),
    );
    enqueue(name, key, remain ? { delayMs: remainingReferrersMs } : {});
  }
}

/**
 * Whether an object may have ceased to keep those from being deleted that it refers to: it is gone, manages another resource or
 * none, or has reported for the first time, before which it may have created something.
 */
function mattersToReferents(before: CachedResource | undefined, after: CachedResource | undefined): boolean {
  const hasReported =
    after?.resource.status?.conditions !== undefined && before?.resource.status?.conditions === undefined;
  return after === undefined || recordedUid(before) !== recordedUid(after) || hasReported;
}
