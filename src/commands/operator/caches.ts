import type { Kind } from "#src/kinds/kind.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeClient } from "#src/kube/client.ts";
import { Reflector } from "#src/kube/reflector.ts";
import { Store } from "#src/kube/store.ts";
import {
  type CachedResource,
  parseResource,
  type ResourceIndex,
  resourceIndexes,
} from "#src/reconcile/observe/cached-resource.ts";
import { resourceKindOf } from "#src/reconcile/perform.ts";
import type { Clock } from "#src/time/clock.ts";
import type { OperatorTelemetry } from "./telemetry.ts";

/** The cached custom resources, one store per kind. */
export type Caches = PerKind<Store<CachedResource, ResourceIndex>>;

export interface CachesOptions {
  readonly kinds: readonly Kind[];
  readonly kube: KubeClient;
  readonly telemetry: OperatorTelemetry;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Starts a reflector for each kind, which keeps its store up to date until `signal` aborts: one watch for all namespaces. */
export function startCaches({ kinds, kube, telemetry, clock, random }: CachesOptions, signal: AbortSignal): Caches {
  const caches = newCaches(kinds);
  for (const kind of kinds) {
    const reflector = new Reflector({
      api: kube,
      resource: resourceKindOf(kind.definition),
      store: caches.get(kind.name),
      clock,
      random,
      report: (report) => telemetry.reflector(kind.name, report),
    });
    void reflector.run(signal);
  }
  return caches;
}

/** Resolves once every store has been listed. @throws the reason of `signal`. */
export async function cachesSynced(caches: Caches, signal: AbortSignal): Promise<void> {
  for (const cache of caches.values()) await cache.whenSynced(signal);
}

/** Empty caches. */
export function newCaches(kinds: readonly Kind[]): Caches {
  return new PerKind(kinds, newStore);
}

function newStore(kind: Kind): Store<CachedResource, ResourceIndex> {
  return new Store<CachedResource, ResourceIndex>({
    parse: (object, before) => parseResource(kind, object, before),
    indexes: resourceIndexes(kind),
  });
}
