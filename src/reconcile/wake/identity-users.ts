import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import { type CachedResource, claimedUids } from "#src/reconcile/observe/cached-resource.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { Enqueue } from "./enqueue.ts";
import { wakeAllWaiting } from "./waiting.ts";

/**
 * After identities became credentials or identities for emergencies of any Tenant, or ceased to be: the objects that declare
 * them or bind roles to them, and all that wait, because others may hold what these want. One pass over all objects, once for
 * each change of these lists.
 */
export function wakeIdentityUsers(
  sources: Pick<Sources, "kinds" | "stores" | "states">,
  identities: ReadonlySet<string>,
  enqueue: Enqueue,
): void {
  if (identities.size === 0) return;
  wakeAllWaiting(sources, enqueue);
  for (const kind of sources.kinds)
    for (const cached of sources.stores.get(kind.name).values())
      if (identitiesOf(kind, cached).some((uid) => identities.has(uid)))
        enqueue(kind.name, keyOf(cached), { priority: "low" });
}

/** The identities that an object claims, or to which it binds a role, as far as its spec and its status name their uids. */
function identitiesOf(kind: Kind, cached: CachedResource): readonly string[] {
  if (kind.principal !== null) return claimedUids(cached);
  const { resource, invalid } = cached;
  const recorded = resource.status?.identityUid;
  const named = invalid === undefined ? kind.references(resource) : [];
  return [
    ...(recorded === undefined ? [] : [recorded]),
    ...named.flatMap(({ purpose, target }) => (purpose === "identity" && target.by === "uid" ? [target.uid] : [])),
  ];
}
