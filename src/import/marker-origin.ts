import { carriedMarker, objectOf, ownerOf } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";

/**
 * Who manages a resource:
 *
 * - `nobody`: it carries no marker.
 * - `this`: the object that the import declares for it.
 * - `otherObject`: another object of the same owner.
 * - `otherOwner`: another cluster, or an operator of another class.
 */
export type MarkerOrigin = "nobody" | "this" | "otherObject" | "otherOwner";

/**
 * @param owners the hashes of the owner that imports, as `ownerHash` returns them
 * @param object the hash of the object that is to declare the resource, as `objectHash` returns it
 */
export function markerOrigin(resource: ExternalResource, owners: readonly string[], object: string): MarkerOrigin {
  const marker = carriedMarker(resource);
  if (marker === undefined) return "nobody";
  if (!owners.includes(ownerOf(marker))) return "otherOwner";
  return objectOf(marker) === object ? "this" : "otherObject";
}
