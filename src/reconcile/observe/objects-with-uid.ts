import { keyOf } from "#src/kube/object.ts";
import type { CachedResource, ResourceStore } from "./cached-resource.ts";

/** The objects whose status records a uid, whether they manage or observe the resource, by namespace and name. */
export function objectsWithUid(store: Pick<ResourceStore, "index">, uid: string): readonly CachedResource[] {
  return store
    .index("claims", uid)
    .filter(({ resource }) => resource.status?.uid === uid)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
