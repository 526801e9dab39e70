import { confirmAnnotation } from "#src/api/annotations.ts";
import { finalizer } from "#src/api/custom-resource.ts";
import type { KubeApi, PatchOptions } from "#src/kube/api.ts";
import { isNotFound } from "#src/kube/errors.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import type { Result } from "#src/runtime/controller.ts";
import { minutes } from "#src/time/durations.ts";
import { observeTenant, type TenantObservationSources } from "./observe/observe-tenant.ts";
import type { CachedTenant } from "./tenancy/cached-tenant.ts";
import type { NamespaceStore } from "./tenancy/live-tenancy.ts";
import { decideTenantFinalizer, isGuardedBy } from "./tenancy/tenant-finalizer.ts";
import { tenantStatusPatch } from "./tenancy/tenant-status.ts";

export interface TenantReconcilerOptions extends TenantObservationSources {
  readonly resource: ResourceKind;
  readonly namespaces: NamespaceStore;
  /** The class of the Tenants that this operator serves. */
  readonly class: string;
  readonly kube: Pick<KubeApi, "patch">;
  /** Called with the uids whose re-creation a person confirmed. */
  readonly onConfirmed: (kind: string, uids: readonly string[]) => void;
  /** Called with the confirmation that a Tenant carries, each time that the Tenant is reconciled. */
  readonly onConfirmation: (tenant: string, id: string) => void;
}

/** A Tenant is observed again after this time, even if no change was noticed. */
const recheckMs = minutes(1);

/** Keeps the finalizer of a Tenant while an object needs the Tenant, writes its status, and obeys its confirmations. */
export class TenantReconciler {
  readonly #options: TenantReconcilerOptions;

  constructor(options: TenantReconcilerOptions) {
    this.#options = options;
  }

  /** @throws {KubeError} if Kubernetes rejected the write: what it was decided from may have been outdated. */
  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { tenants, class: served } = this.#options;
    const tenant = tenants.get(name);
    if (tenant?.class !== served) return { type: "done" };
    await this.#reconcileFinalizer(tenant, signal);
    this.#confirm(tenant);
    await this.#reconcileStatus(name, signal);
    return { type: "requeueAfter", ms: recheckMs };
  }

  #confirm({ metadata: { name, annotations } }: CachedTenant): void {
    const id = annotations?.[confirmAnnotation];
    if (id === undefined) return;
    for (const [kind, uids] of this.#options.sources.breakers.confirm(name, id)) this.#options.onConfirmed(kind, uids);
    this.#options.onConfirmation(name, id);
  }

  async #reconcileStatus(name: string, signal: AbortSignal): Promise<void> {
    const observed = observeTenant(this.#options, name);
    const patch = observed === undefined ? undefined : tenantStatusPatch(observed);
    if (observed === undefined || patch === undefined) return;
    // A Tenant that is deleted and created again has another uid, and keeps its own status.
    const body = { metadata: { uid: observed.tenant.metadata.uid }, status: patch };
    await this.#patch(name, body, { signal, subresource: "status" });
  }

  async #reconcileFinalizer(tenant: CachedTenant, signal: AbortSignal): Promise<void> {
    const change = decideTenantFinalizer(tenant, () => this.#guardsAny(tenant));
    if (change === "none") return;
    const { name, uid, resourceVersion, finalizers = [] } = tenant.metadata;
    const others = finalizers.filter((one) => one !== finalizer);
    const after = change === "add" ? [...others, finalizer] : others;
    await this.#patch(name, { metadata: { uid, resourceVersion, finalizers: after } }, { signal });
  }

  /** Does nothing if the Tenant is gone. */
  async #patch(name: string, body: object, options: PatchOptions): Promise<void> {
    const { resource, tenants, kube } = this.#options;
    try {
      tenants.observeOwnWrite(await kube.patch<KubeObject>(resource, undefined, name, body, options));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #guardsAny(tenant: CachedTenant): boolean {
    const { sources, namespaces } = this.#options;
    for (const store of sources.stores.values()) {
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
