import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import type { CachedResource } from "./cached-resource.ts";
import { claimedState } from "./claimed-state.ts";
import { isRecorded, otherClaimantOf } from "./claims.ts";
import { mayWant } from "./may-want.ts";
import type { Claim } from "./observed.ts";
import type { Sources } from "./sources.ts";

/** What is known of the uid that an object claims. @param view undefined, and `tenant` null, if no Tenant governs the object */
export function claimOf(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  uid: string,
  view: CollectionView<ExternalResource> | undefined,
  tenant: string | null,
): Claim {
  // Any number of objects may observe a resource.
  const manages = cached.resource.spec.policy.management === "Full" || isRecorded(cached.resource, uid);
  const claimed = manages ? claimedResource(kind, view, uid) : undefined;
  return {
    uid,
    external: view === undefined ? { is: "unknown" } : claimedState(sources.owners, view, cached, uid),
    claimedBy: claimed === undefined ? null : claimantOf(sources, kind, claimed, cached),
    heldByBreaker: tenant !== null && sources.breakers.holds(tenant, kind.name, uid),
  };
}

/**
 * The resource to which `uid` belongs now, as far as its claimants need to know it: only a singleton that was read says which
 * of the objects that record its uid means it.
 */
function claimedResource(
  { collection }: Kind,
  view: CollectionView<ExternalResource> | undefined,
  uid: string,
): ExternalResource | undefined {
  if (!collection.uids.isSingleton) return { uid };
  const state = view?.stateOf(uid);
  return state?.is === "present" ? state.resource : undefined;
}

/** The other object to which `external` belongs, as `namespace/name`; null if none does. */
export function claimantOf(
  sources: Sources,
  kind: Kind,
  external: ExternalResource,
  cached: CachedResource,
): string | null {
  return otherClaimantOf(sources, kind, external, cached, (other) => mayWant(sources, kind, other, external.uid));
}

/** The uid that an object claims by its spec or status. What is being deleted, or has an invalid spec, claims only what it manages. */
export function claimedUid({ resource: { spec, status }, invalid, metadata }: CachedResource): string | undefined {
  const isWanted = metadata.deletionTimestamp === undefined && invalid === undefined;
  return isWanted ? (spec.uid ?? status?.uid) : status?.uid;
}
