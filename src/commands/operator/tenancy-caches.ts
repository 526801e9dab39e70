import { apiGroup, version } from "#src/api/custom-resource.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import { Store } from "#src/kube/store.ts";
import { type CachedTenant, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { type CachedNamespace, parseNamespace } from "#src/reconcile/tenancy/live-tenancy.ts";
import { type ReflectorContext, startReflector } from "./start-reflector.ts";

export const tenantResource: ResourceKind = {
  group: apiGroup,
  version,
  plural: tenantDefinition.plural,
  kind: tenantDefinition.kind,
  namespaced: false,
};
export const namespaceResource: ResourceKind = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

/** The cached Tenants and namespaces. */
export interface TenancyCaches {
  readonly tenants: Store<CachedTenant>;
  readonly namespaces: Store<CachedNamespace>;
}

export interface StartedTenancyCaches {
  readonly caches: TenancyCaches;
  /** Resolves once both have been listed, or cannot be. */
  readonly tried: Promise<unknown>;
}

/** Starts a reflector for each of the two, which keeps its store up to date until `signal` aborts. */
export function startTenancyCaches(context: ReflectorContext, signal: AbortSignal): StartedTenancyCaches {
  const caches: TenancyCaches = {
    tenants: new Store<CachedTenant>({ parse: parseTenant, indexes: {} }),
    namespaces: new Store<CachedNamespace>({ parse: parseNamespace, indexes: {} }),
  };
  const tried = [
    startReflector(context, tenantResource, caches.tenants, signal),
    startReflector(context, namespaceResource, caches.namespaces, signal),
  ];
  return { caches, tried: Promise.all(tried) };
}
