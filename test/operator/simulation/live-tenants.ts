import type { ObjectEvent } from "#src/kube/store.ts";
import type { OuterBound } from "#src/reconcile/tenancy/boundary.ts";
import { LiveTenancy } from "#src/reconcile/tenancy/live-tenancy.ts";
import { newTenancyStores, type TenancyStores } from "#src/reconcile/tenancy/tenancy-stores.ts";
import {
  type ConnectedSession,
  type OpenTenantSession,
  type SessionCredential,
  TenantSessions,
} from "#src/reconcile/tenancy/tenant-sessions.ts";
import type { MemoryKube } from "./memory-kube.ts";

export interface LiveTenantsOptions {
  readonly kube: MemoryKube;
  readonly operator: ConnectedSession & SessionCredential;
  readonly open: OpenTenantSession;
  readonly outer: OuterBound;
  readonly settledAt: number;
  readonly signal: AbortSignal;
}

/** The Tenants and namespaces of a simulated cluster, with the stores and sessions of `muster operator`. */
export class LiveTenants implements TenancyStores {
  readonly tenants: TenancyStores["tenants"];
  readonly namespaces: TenancyStores["namespaces"];
  readonly sessions: TenantSessions;
  readonly tenancy: LiveTenancy;

  constructor({ kube, operator, open, outer, settledAt, signal }: LiveTenantsOptions) {
    ({ tenants: this.tenants, namespaces: this.namespaces } = newTenancyStores());
    for (const kind of ["Tenant", "Namespace"] as const) {
      this.#storeOf(kind).addScope(undefined);
      this.list(kube, kind);
    }
    this.sessions = new TenantSessions(operator, open, signal);
    const { tenants, namespaces, sessions } = this;
    this.tenancy = new LiveTenancy({ tenants, namespaces, sessions, outer, class: "", settledAt });
  }

  list(kube: MemoryKube, kind: "Tenant" | "Namespace"): void {
    const objects = structuredClone(kube.clusterObjects(kind));
    this.#storeOf(kind).replace({ namespace: undefined, objects, resourceVersion: kube.version, versionAtStart: "0" });
  }

  #storeOf(kind: "Tenant" | "Namespace") {
    return kind === "Tenant" ? this.tenants : this.namespaces;
  }

  /** An event of a Tenant or a namespace. */
  apply(event: ObjectEvent): void {
    if (event.object.kind === "Tenant") this.tenants.apply(event);
    if (event.object.kind === "Namespace") this.namespaces.apply(event);
  }
}
