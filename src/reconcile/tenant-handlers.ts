import { readyCondition } from "#src/api/condition.ts";
import { hasFinalizer } from "#src/api/custom-resource.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import type { CachedResource } from "./observe/cached-resource.ts";
import type { Sources } from "./observe/sources.ts";
import { isBeingDeleted } from "./tenancy/cached-tenant.ts";
import type { TenantStore } from "./tenancy/live-tenancy.ts";

/** Many objects that are released together cost one look at a Tenant. */
const gatherMs = 500;
/** While the objects of a Tenant change, its counts are written once in this time. */
const countsMs = 5_000;

/**
 * Turns changes into Tenants to reconcile:
 * - A Tenant changed: the Tenant itself, and those that select one of its namespaces, too.
 * - An object was released: the Tenants that are being deleted, because it may have been the last one that needed them.
 * - A namespace has other Tenants, or one of them changed: those that select it, or did, whose counts change.
 * - An object appeared, disappeared, or became Ready or not: its Tenant, whose counts change.
 * - The session changed: its permissions, an outage, a list of the platform. All Tenants that use it.
 */
export function connectTenantHandlers(
  tenants: TenantStore,
  { stores, tenancy }: Pick<Sources, "stores" | "tenancy">,
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
      const changed = after ?? before;
      if (changed === undefined || countOf(before) === countOf(after)) return;
      const governance = tenancy.governanceOf(changed.resource);
      if (governance.by === "tenant") enqueue(governance.context.name, { delayMs: countsMs });
    });
  tenancy.onChange((change) => {
    for (const tenant of change.tenants) enqueue(tenant, {});
    for (const tenant of change.selecting) enqueue(tenant, { delayMs: countsMs });
  });
  tenancy.onSession((session) => {
    const enqueueUsers = (options: AddOptions) => {
      for (const context of tenancy.contexts) if (context.session === session) enqueue(context.name, options);
    };
    session.onPermissionsChanged(() => enqueueUsers({}));
    session.onPermissionsRead(() => enqueueUsers({ delayMs: countsMs }));
    session.onOutageChange(() => enqueueUsers({}));
    session.onSnapshot(() => enqueueUsers({ delayMs: countsMs }));
  });
}

/** What the object counts as: nothing if it does not exist. */
function countOf(cached: CachedResource | undefined): "ready" | "notReady" | undefined {
  if (cached === undefined) return undefined;
  return readyCondition(cached.resource)?.status === "True" ? "ready" : "notReady";
}

function isReleased(before: CachedResource | undefined, after: CachedResource | undefined): boolean {
  return before !== undefined && hasFinalizer(before) && (after === undefined || !hasFinalizer(after));
}
