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
  const isReplaced =
    state.is === "present" && cached.resource.status?.uid === uid && !hasRecordOf(owners, cached, state.resource);
  return isReplaced ? { is: "gone", at: state.seenAt } : state;
}

/**
 * Whether the status of an object records `external`, and not an earlier resource with the same uid: a singleton has the uid
 * of its group, which has at most one. If it carries a marker, that decides, as it does in `owns`: an object that created it
 * may not have recorded its time yet.
 */
export function hasRecordOf(
  owners: readonly string[],
  { resource: { status }, objectHash }: CachedResource,
  external: ExternalResource,
): boolean {
  if (status?.uid !== external.uid) return false;
  const marker = external.createTime === undefined ? undefined : carriedMarker(external);
  if (marker === undefined) return records(status, external);
  return objectOf(marker) === objectHash && owners.includes(ownerOf(marker));
}
