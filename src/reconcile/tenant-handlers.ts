import { finalizer } from "#src/api/custom-resource.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import type { CachedResource } from "./observe/cached-resource.ts";
import type { Stores } from "./observe/sources.ts";
import { isBeingDeleted } from "./tenancy/cached-tenant.ts";
import type { TenantStore } from "./tenancy/live-tenancy.ts";

/** Many objects that are released together cost one look at a Tenant. */
const gatherMs = 500;

/**
 * Turns changes into Tenants to reconcile: those that changed, and those that are being deleted when an object is released,
 * because it may have been the last one that needed them.
 */
export function connectTenantHandlers(
  tenants: TenantStore,
  stores: Stores,
  enqueue: (tenant: string, options: AddOptions) => void,
): void {
  const deleting = new Set<string>();
  const onTenant = ({ metadata: { name } }: { readonly metadata: { readonly name: string } }) => {
    const tenant = tenants.get(name);
    if (tenant !== undefined && isBeingDeleted(tenant)) deleting.add(name);
    else deleting.delete(name);
    if (tenant !== undefined) enqueue(name, {});
  };
  for (const tenant of tenants.values()) onTenant(tenant);
  tenants.onChange((before, after, source) => {
    const changed = after ?? before;
    if (changed !== undefined && (source !== "ownWrite" || after === undefined)) onTenant(changed);
  });
  for (const store of stores.values())
    store.onChange((before, after) => {
      if (deleting.size > 0 && isReleased(before, after))
        for (const tenant of deleting) enqueue(tenant, { delayMs: gatherMs });
    });
}

function isReleased(before: CachedResource | undefined, after: CachedResource | undefined): boolean {
  const had = before?.metadata.finalizers?.includes(finalizer) === true;
  return had && after?.metadata.finalizers?.includes(finalizer) !== true;
}
