import { keyOf } from "#src/kube/object.ts";
import type { CachedResource, ResourceStore } from "./cached-resource.ts";

// An object claims the uids in its `spec.uid` and `status.uid`. An external resource has one claimant.

/** The key of an object, other than the one at `key`, that claims `uid`. */
export function otherClaimant(store: ResourceStore, uid: string, key: string): string | null {
  return (
    store
      .index("claims", uid)
      .map(keyOf)
      .find((other) => other !== key) ?? null
  );
}

/** The key of the oldest object that claims `uid`; null if that is the object at `key` itself. */
export function olderClaimant(store: ResourceStore, uid: string, key: string): string | null {
  const claimants = store.index("claims", uid);
  if (claimants.length < 2) return null;
  const [oldest] = claimants.toSorted((a, b) => ageOf(a).localeCompare(ageOf(b)));
  const oldestKey = oldest === undefined ? key : keyOf(oldest);
  return oldestKey === key ? null : oldestKey;
}

function ageOf({ metadata }: CachedResource): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.uid ?? ""}`;
}
