import { resourceKindOf } from "#src/api/resource-kind.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { namespaceResource } from "#src/kube/namespaces.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import { newTenancyStores, type TenancyStores } from "#src/reconcile/tenancy/tenancy-stores.ts";
import { type ReflectorContext, startReflector } from "./start-reflector.ts";

export const tenantResource: ResourceKind = resourceKindOf(tenantDefinition);

export interface StartedTenancyCaches {
  readonly caches: TenancyStores;
  /** Resolves once both have been listed, or cannot be. */
  readonly tried: Promise<unknown>;
}

/** Starts a reflector for each of the two, which keeps its store up to date until `signal` aborts. */
export function startTenancyCaches(context: ReflectorContext, signal: AbortSignal): StartedTenancyCaches {
  const caches = newTenancyStores();
  const tried = [
    startReflector(context, tenantResource, caches.tenants, signal),
    startReflector(context, namespaceResource, caches.namespaces, signal),
  ];
  return { caches, tried: Promise.all(tried) };
}
