import { apiGroup, version } from "#src/api/custom-resource.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import { Reflector, type ReflectorReport } from "#src/kube/reflector.ts";
import { Store } from "#src/kube/store.ts";
import { type CachedTenant, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { type CachedNamespace, parseNamespace } from "#src/reconcile/tenancy/live-tenancy.ts";
import type { Clock } from "#src/time/clock.ts";

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

export interface TenancyCachesOptions {
  readonly kube: KubeApi;
  readonly telemetry: { reflector(kind: string, report: ReflectorReport): void };
  readonly clock: Clock;
  readonly random: () => number;
}

/** Starts a reflector for each of the two kinds, which keeps its store up to date until `signal` aborts. */
export function startTenancyCaches(
  { kube, telemetry, clock, random }: TenancyCachesOptions,
  signal: AbortSignal,
): TenancyCaches {
  const caches: TenancyCaches = {
    tenants: new Store<CachedTenant>({ parse: parseTenant, indexes: {} }),
    namespaces: new Store<CachedNamespace>({ parse: parseNamespace, indexes: {} }),
  };
  const start = (resource: ResourceKind, store: Store<CachedTenant> | Store<CachedNamespace>) => {
    const report = (one: ReflectorReport) => telemetry.reflector(resource.kind, one);
    void new Reflector({ api: kube, resource, store, clock, random, report }).run(signal);
  };
  start(tenantResource, caches.tenants);
  start(namespaceResource, caches.namespaces);
  return caches;
}

/** Resolves once both stores have been listed. @throws the reason of `signal`. */
export async function tenancyCachesSynced({ tenants, namespaces }: TenancyCaches, signal: AbortSignal): Promise<void> {
  await tenants.whenSynced(signal);
  await namespaces.whenSynced(signal);
}
