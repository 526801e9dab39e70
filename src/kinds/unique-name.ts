import type { Resource } from "#src/api/custom-resource.ts";
import { type ExternalResource, uniqueName } from "#src/platform-client/collection.ts";
import type { Kind } from "./kind.ts";

/**
 * The name that the resource of an object is to have, and that no other resource in its group can have; undefined if the
 * object wants none.
 */
export function wantedName(kind: Kind, resource: Resource): string | undefined {
  return uniqueName(kind.collection, kind.nameOf(resource));
}

/** The name that `external` has, and that no other resource in its group can have; undefined if the kind has no names. */
export function takenName({ collection }: Kind, external: ExternalResource): string | undefined {
  return uniqueName(collection, collection.nameOf(external));
}
