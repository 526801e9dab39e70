import { Store } from "#src/kube/store.ts";
import { type CachedTenant, parseTenant } from "./cached-tenant.ts";
import { type CachedNamespace, parseNamespace } from "./live-tenancy.ts";

/** The stores of Tenants and namespaces, as their writers see them. */
export interface TenancyStores {
  readonly tenants: Store<CachedTenant>;
  readonly namespaces: Store<CachedNamespace>;
}

/** Empty stores. */
export function newTenancyStores(): TenancyStores {
  return {
    tenants: new Store<CachedTenant>({ parse: parseTenant, indexes: {} }),
    namespaces: new Store<CachedNamespace>({ parse: parseNamespace, indexes: {} }),
  };
}
