import { keyOf } from "#src/kube/object.ts";
import { type CachedResource, claimedUids, readyReason } from "#src/reconcile/observe/cached-resource.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { TenancyChange } from "#src/reconcile/tenancy/tenancy.ts";
import { wakeConflictsWith } from "./conflicts.ts";
import type { Enqueue } from "./enqueue.ts";
import { referrersOf } from "./referrers.ts";

/**
 * The objects whose Tenant, or what it permits, may have changed, and those that refer to them: a reference is within one
 * Tenant, or granted by another. Whatever they waited for, they may do now; and what they may not have any longer, those in
 * Conflict with them may.
 */
export function wakeGoverned(sources: Sources, { namespaces, tenants }: TenancyChange, enqueue: Enqueue): void {
  const { kinds, stores, breakers, tenancy } = sources;
  const concerned: (readonly [kind: string, cached: CachedResource])[] = [];
  const holds = breakers.holdsAny;
  for (const kind of kinds) {
    const store = stores.get(kind.name);
    for (const namespace of namespaces)
      for (const cached of store.index("namespace", namespace)) {
        concerned.push([kind.name, cached]);
        const governance = holds ? tenancy.governanceOf(cached.resource) : undefined;
        if (governance?.by === "tenant")
          for (const uid of claimedUids(cached)) breakers.move(kind.name, uid, governance.context.name);
        for (const one of referrersOf(sources, kind, cached))
          if (!namespaces.has(one[1].metadata.namespace ?? "")) concerned.push(one);
      }
    if (tenants.size === 0) continue;
    for (const cached of store.values()) {
      const { metadata, status } = cached.resource;
      const isNamed = status?.tenant !== undefined && tenants.has(status.tenant);
      const ends = metadata.deletionTimestamp !== undefined || readyReason(cached.resource) === "Expired";
      if (isNamed && ends && !namespaces.has(metadata.namespace ?? "")) concerned.push([kind.name, cached]);
    }
  }
  for (const [kind, cached] of concerned) {
    const key = keyOf(cached);
    sources.states.get(kind).clearFailure(key);
    enqueue(kind, key, { priority: "low" });
  }
  wakeConflictsWith(sources, concerned, enqueue);
}
