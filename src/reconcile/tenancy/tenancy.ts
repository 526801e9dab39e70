import type { Resource } from "#src/api/custom-resource.ts";
import type { ObjectMeta } from "#src/api/metadata.ts";
import type { Status } from "#src/api/status.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import type { Boundary } from "./boundary.ts";

/** With which credential, and within which boundary, the objects of a Tenant are reconciled. */
export interface TenantContext {
  /** The name of the Tenant. */
  readonly name: string;
  /** Tenants with the operator's credentials share one session. */
  readonly session: PlatformSession;
  readonly boundary: Boundary;
  /** The identity that the session acts as. */
  readonly identity: string;
  /** Increases with every token exchange of the session. */
  readonly credentialEpoch: () => number;
  /** From this time on, no request of an earlier leader can still take effect. */
  readonly settledAt: MonotonicTime;
}

/** Who governs an object. */
export type Governance =
  | {
      readonly by: "tenant";
      readonly context: TenantContext;
      /** `deletions`: the Tenant is being deleted, or no longer selects the namespace of an object that names it. */
      readonly serves: "everything" | "deletions";
    }
  /** No Tenant selects the namespace. */
  | { readonly by: "none" }
  /** Several Tenants do; sorted. */
  | { readonly by: "several"; readonly tenants: readonly string[] }
  /**
   * Nothing is done or reported here: the Tenant has another class, or may have, so that another operator reconciles the
   * object; or Tenants and namespaces have not been read yet.
   */
  | { readonly by: "unserved" };

/** What a change of Tenants or of the labels of namespaces may have changed. */
export interface TenancyChange {
  /** The namespaces whose Tenant, or what it permits, changed. */
  readonly namespaces: ReadonlySet<string>;
  /** The Tenants that changed: objects that are being deleted may name them although they no longer select the namespace. */
  readonly tenants: ReadonlySet<string>;
  /** The Tenants that select one of the namespaces, or selected it before. */
  readonly selecting: ReadonlySet<string>;
  /** The uids of the identities that began or ceased to be a credential, or to be listed for emergencies. */
  readonly identities: ReadonlySet<string>;
}

/** What the Tenant of an object depends on. */
export interface GovernedObject {
  readonly metadata: Pick<ObjectMeta, "namespace" | "deletionTimestamp">;
  readonly status?: Pick<Status, "tenant">;
}

/** Maps objects to Tenants. */
export interface Tenancy {
  /**
   * The Tenant that selects the namespace of the object. For an object that ends what it has, the Tenant that its status names
   * comes first, also if it no longer selects the namespace.
   * @param ends by default, whether the object is being deleted
   */
  governanceOf(object: GovernedObject, ends?: boolean): Governance;
  /** Whether the namespace is being deleted. */
  isTerminating(namespace: string): boolean;
  /** Every Tenant that is served. */
  readonly contexts: Iterable<TenantContext>;
  /** Every session, once. */
  readonly sessions: Iterable<PlatformSession>;
  /**
   * The namespaces of the objects that the session reconciles, except of objects that are being deleted; undefined: any. What
   * many sessions do for their objects then costs one pass over all objects together, and not one each.
   */
  namespacesOf(session: PlatformSession): readonly string[] | undefined;
  /** Calls `listener` for every session, those that exist and those that come. */
  onSession(listener: (session: PlatformSession) => void): void;
  /** Calls `listener` after each change. */
  onChange(listener: (change: TenancyChange) => void): void;
  /** The uids of the identities that the operator and the Tenants use as credentials. They are never written. */
  readonly credentialIdentities: ReadonlySet<string>;
  /** The uids of the identities that any Tenant lists for emergencies. They are never adopted, nor removed as undeclared. */
  readonly breakGlassIdentities: ReadonlySet<string>;
}

/** Who governs a namespace: as for an object there that was never governed. */
export function governanceIn(tenancy: Pick<Tenancy, "governanceOf">, namespace: string): Governance {
  return tenancy.governanceOf({ metadata: { namespace } });
}

/** Whether the session reconciles the object. */
export function isServedBy(tenancy: Tenancy, resource: Resource, session: PlatformSession): boolean {
  const governance = tenancy.governanceOf(resource);
  return governance.by === "tenant" && governance.context.session === session;
}
