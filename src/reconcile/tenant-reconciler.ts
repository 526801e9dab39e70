import { finalizer } from "#src/api/custom-resource.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { isNotFound } from "#src/kube/errors.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import type { Result } from "#src/runtime/controller.ts";
import type { Stores } from "./observe/sources.ts";
import type { CachedTenant } from "./tenancy/cached-tenant.ts";
import type { NamespaceStore, TenantStore } from "./tenancy/live-tenancy.ts";
import { decideTenantFinalizer, isGuardedBy } from "./tenancy/tenant-finalizer.ts";

export interface TenantReconcilerOptions {
  readonly resource: ResourceKind;
  readonly tenants: TenantStore;
  readonly namespaces: NamespaceStore;
  /** The custom resources. */
  readonly stores: Stores;
  /** The class of the Tenants that this operator serves. */
  readonly class: string;
  readonly kube: KubeApi;
}

/** Keeps the finalizer of a Tenant while an object needs the Tenant. */
export class TenantReconciler {
  readonly #options: TenantReconcilerOptions;

  constructor(options: TenantReconcilerOptions) {
    this.#options = options;
  }

  /** @throws {KubeError} if Kubernetes rejected the write: what it was decided from may have been outdated. */
  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { tenants, class: served } = this.#options;
    const tenant = tenants.get(name);
    if (tenant?.class === served) await this.#reconcileFinalizer(tenant, signal);
    return { type: "done" };
  }

  async #reconcileFinalizer(tenant: CachedTenant, signal: AbortSignal): Promise<void> {
    const { resource, tenants, kube } = this.#options;
    const change = decideTenantFinalizer(tenant, () => this.#guardsAny(tenant));
    if (change === "none") return;
    const { name, uid, resourceVersion, finalizers = [] } = tenant.metadata;
    const others = finalizers.filter((one) => one !== finalizer);
    const after = change === "add" ? [...others, finalizer] : others;
    try {
      const body = { metadata: { uid, resourceVersion, finalizers: after } };
      tenants.observeOwnWrite(await kube.patch<KubeObject>(resource, undefined, name, body, { signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #guardsAny(tenant: CachedTenant): boolean {
    const { stores, namespaces } = this.#options;
    for (const store of stores.values()) {
      // An object that was not read may need the Tenant.
      if (!store.synced) return true;
      for (const { resource } of store.values()) {
        const labels = namespaces.get(resource.metadata.namespace ?? "")?.metadata.labels;
        if (isGuardedBy(tenant, resource, labels)) return true;
      }
    }
    return false;
  }
}
