import type { Kind } from "#src/kinds/kind.ts";
import type { ChangeSource } from "#src/kube/store.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import type { TenancyChange } from "#src/reconcile/tenancy/tenancy.ts";

/** What can change, and what is known of the change. */
export interface Changes {
  /** A custom resource: as it was, and as it is. Undefined: it did not exist, or is gone. */
  readonly object: {
    readonly kind: Kind;
    readonly before: CachedResource | undefined;
    readonly after: CachedResource | undefined;
    readonly source: ChangeSource;
  };
  /** All objects of a kind have been read for the first time. */
  readonly kindRead: Record<never, never>;
  /** What a session knows of a collection, after a list or a read. */
  readonly platform: {
    readonly session: PlatformSession;
    readonly kind: Kind;
    /** The uids of the resources that differ from before. */
    readonly changed: readonly string[];
    /** After a list, the objects that record a resource which it lacks. */
    readonly missing: readonly CachedResource[];
  };
  /** A resource has the name no longer. */
  readonly nameReleased: {
    readonly session: PlatformSession;
    readonly kind: Kind;
    readonly name: string;
    readonly uid: string;
  };
  /** What a session may do, or its outage ended. */
  readonly session: { readonly session: PlatformSession };
  /** A write has to show whether an outage of writes has ended. */
  readonly trialWanted: { readonly session: PlatformSession };
  /** A read of the roles showed that one which a Tenant of the session lists changed. */
  readonly listedRoles: { readonly session: PlatformSession };
  /** Tenants, or the labels of namespaces. */
  readonly tenancy: TenancyChange;
  /** An object's resource, by an update of ours. */
  readonly updated: { readonly kind: Kind; readonly cached: CachedResource };
  /** A resource that a DELETE of ours removed, or may have; `by` the object with that key, if it is of the same kind. */
  readonly deleted: {
    readonly session: PlatformSession;
    readonly kind: Kind;
    readonly uid: string;
    readonly by: string | undefined;
  };
  /** A resource that nobody declared was removed. */
  readonly undeclaredRemoved: { readonly uid: string };
}

/** A change of a custom resource, wherever it was made. */
export type ObjectChange = Omit<Changes["object"], "source">;
