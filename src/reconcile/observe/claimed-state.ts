import { carriedMarker, objectOf, ownerOf } from "#src/kinds/marker.ts";
import { records } from "#src/kinds/records.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import type { CachedResource } from "./cached-resource.ts";
import type { ExternalResource, ExternalState } from "./observed.ts";

/** What is known of the resource that an object claims by `uid`: it is gone if it was replaced. */
export function claimedState(
  owners: readonly string[],
  view: CollectionView<ExternalResource>,
  cached: CachedResource,
  uid: string,
): ExternalState {
  const state = view.stateOf(uid);
  return state.is === "present" && isReplaced(owners, cached, state.resource)
    ? { is: "gone", at: state.seenAt }
    : state;
}

/**
 * Whether `external` has the uid that the object records, and is another resource, created later: a singleton has the uid of
 * its group, which has at most one. What carries the object's marker is the object's all the same, such as a resource that
 * it created just before the process died.
 */
export function isReplaced(
  owners: readonly string[],
  { resource: { status }, objectHash }: CachedResource,
  external: ExternalResource,
): boolean {
  if (status?.uid !== external.uid || records(status, external)) return false;
  const marker = carriedMarker(external);
  return marker === undefined || objectOf(marker) !== objectHash || !owners.includes(ownerOf(marker));
}
