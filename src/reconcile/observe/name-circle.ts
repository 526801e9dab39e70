import type { Kind } from "#src/kinds/kind.ts";
import { wantedName } from "#src/kinds/unique-name.ts";
import { keyOf } from "#src/kube/object.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import type { CachedResource } from "./cached-resource.ts";
import { recordedUid } from "./claims.ts";
import type { ExternalResource } from "./observed.ts";
import type { Sources } from "./sources.ts";

/** A longer circle is reported like any other conflict: a message that names more objects helps nobody. */
const maxOthers = 4;

/**
 * The objects that want each other's names in a circle with `self`, which wants the name that `external` has: first the object of
 * `external`, then the object of the resource whose name that one wants, and so on, until one wants the name of `self`'s resource.
 * Empty if they form no circle. Two objects that swap their names are the shortest one.
 */
export function nameCircleOf(
  { stores }: Pick<Sources, "stores">,
  view: CollectionView<ExternalResource>,
  kind: Kind,
  self: CachedResource,
  external: ExternalResource | undefined,
): readonly string[] {
  const managerOf = ({ uid }: ExternalResource) =>
    stores
      .get(kind.name)
      .index("claims", uid)
      .find((cached) => recordedUid(cached) === uid);
  const circle: string[] = [];
  let next = external;
  while (next !== undefined && circle.length < maxOthers) {
    const manager = managerOf(next);
    if (manager === undefined || manager.invalid !== undefined || circle.includes(keyOf(manager))) return [];
    circle.push(keyOf(manager));
    const name = wantedName(kind, manager.resource);
    const parent = kind.collection.uids.parentOf(next.uid);
    if (name === undefined || parent === undefined) return [];
    const holders: readonly ExternalResource[] = view.named(parent, name);
    if (holders.some(({ uid }) => uid === recordedUid(self))) return circle;
    next = holders.find(({ uid }) => uid !== next?.uid);
  }
  return [];
}
