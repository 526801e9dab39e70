import { keyOf } from "#src/kube/object.ts";
import { type CachedResource, claimedUids } from "#src/reconcile/observe/cached-resource.ts";
import { comesFirst } from "#src/reconcile/observe/claims.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { ObjectChange } from "./change.ts";
import type { Enqueue } from "./enqueue.ts";

/** The other objects that claim a uid which this object now claims, or no longer claims, and that come after it. */
export function wakeClaimants(
  { stores, breakers }: Sources,
  { kind, before, after }: ObjectChange,
  enqueue: Enqueue,
): void {
  const [previous, current] = [claimsOf(before), claimsOf(after)];
  const released = previous.filter((uid) => !current.includes(uid));
  const added = current.filter((uid) => !previous.includes(uid));
  for (const uid of released) breakers.release(kind.name, uid);
  const changed = [before, after].filter((one) => one !== undefined);
  for (const uid of [...released, ...added])
    for (const other of stores.get(kind.name).index("claims", uid))
      if (other !== after && changed.some((one) => comesFirst(one, other))) enqueue(kind.name, keyOf(other), {});
}

function claimsOf(cached: CachedResource | undefined): readonly string[] {
  return cached === undefined ? [] : claimedUids(cached);
}
