import type { Kind } from "#src/kinds/kind.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import { Store } from "#src/kube/store.ts";
import {
  type CachedResource,
  parseResource,
  type ResourceIndex,
  resourceIndexes,
  resourceSpecIndexes,
} from "./cached-resource.ts";
import { tallyReadiness } from "./readiness.ts";

/** The stores of custom resources, one per kind, as their writers see them. */
export type ResourceStores = PerKind<Store<CachedResource, ResourceIndex>>;

/** Empty stores. */
export function newResourceStores(kinds: readonly Kind[]): ResourceStores {
  return new PerKind(
    kinds,
    (kind) =>
      new Store<CachedResource, ResourceIndex>({
        parse: (object, before) => parseResource(kind, object, before),
        indexes: resourceIndexes(kind),
        specIndexes: resourceSpecIndexes,
        tally: tallyReadiness,
      }),
  );
}
