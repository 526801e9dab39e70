import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import { type CachedResource, claimedUids } from "#src/reconcile/observe/cached-resource.ts";
import { recordedUid } from "#src/reconcile/observe/claims.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import type { ObjectChange } from "./change.ts";
import { wakeDeniedBy } from "./denied.ts";
import type { Enqueue } from "./enqueue.ts";
import { referrersOf } from "./referrers.ts";

// Which objects depend on what a role allows, and on whether an object declares it. Without this they would wait for the next
// resync: an identity does not refer to the roles that it holds.

/**
 * After the role of `cached` changed on the platform: the objects that bind it, and those that wait because their resources
 * hold it.
 */
export function wakeRoleUsers(
  sources: Pick<Sources, "kinds" | "stores" | "states">,
  kind: Kind,
  cached: CachedResource,
  enqueue: Enqueue,
  options: AddOptions,
): void {
  if (kind.bindable === null) return;
  for (const [name, referrer] of referrersOf(sources, kind, cached)) enqueue(name, keyOf(referrer), options);
  wakeDeniedBy(sources, claimedUids(cached), enqueue, options);
}

/** An object that depends on all roles is looked at this long after one was declared: others may follow. */
const declarationsMs = 2_000;

/**
 * After an object began to manage a role, or ceased to: the objects that wait because their resources hold it. A
 * role that a Tenant lists permits others what it allows only while no object manages it, so that all roles depend on it.
 */
export function wakeAfterDeclaration(
  sources: Pick<Sources, "kinds" | "stores" | "states" | "tenancy">,
  { kind, before, after }: ObjectChange,
  enqueue: Enqueue,
): void {
  if (kind.bindable === null) return;
  const [earlier, later] = [recordedUid(before), recordedUid(after)];
  if (earlier === later) return;
  const uids = [earlier, later].filter((uid) => uid !== undefined);
  wakeDeniedBy(sources, uids, enqueue, {});
  const isListed = Iterator.from(sources.tenancy.contexts).some(({ boundary }) =>
    uids.some((uid) => boundary.roles.includes(uid)),
  );
  if (!isListed) return;
  for (const cached of sources.stores.get(kind.name).values()) {
    const options = { priority: "low", delayMs: declarationsMs } as const;
    enqueue(kind.name, keyOf(cached), options);
    wakeRoleUsers(sources, kind, cached, enqueue, options);
  }
}
