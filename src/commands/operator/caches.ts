import type { KindName } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { KubeClient } from "#src/kube/client.ts";
import { Reflector } from "#src/kube/reflector.ts";
import { Store } from "#src/kube/store.ts";
import {
  type CachedResource,
  parseResource,
  type ResourceIndex,
  resourceIndexes,
} from "#src/reconcile/observe/cached-resource.ts";
import { resourceKinds } from "#src/reconcile/perform.ts";
import type { Clock } from "#src/time/clock.ts";
import type { OperatorTelemetry } from "./telemetry.ts";

export const kindNames = Object.keys(kinds) as KindName[];

/** The cached custom resources, one store per kind. */
export type Caches = Readonly<Record<KindName, Store<CachedResource, ResourceIndex>>>;

export interface CachesOptions {
  readonly kube: KubeClient;
  readonly namespaces: readonly string[];
  readonly telemetry: OperatorTelemetry;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Starts a reflector for each kind and namespace, which keeps its store up to date until `signal` aborts. */
export function startCaches(
  { kube, namespaces, telemetry, clock, random }: CachesOptions,
  signal: AbortSignal,
): Caches {
  const caches = Object.fromEntries(kindNames.map((kind) => [kind, newStore(kind)])) as Record<
    KindName,
    Store<CachedResource, ResourceIndex>
  >;
  for (const kind of kindNames)
    for (const namespace of namespaces) {
      const reflector = new Reflector({
        api: kube,
        resource: resourceKinds[kind],
        namespace,
        store: caches[kind],
        clock,
        random,
        report: (report) => telemetry.reflector(kind, namespace, report),
      });
      void reflector.run(signal);
    }
  return caches;
}

/** Resolves once every store has been listed. @throws the reason of `signal`. */
export async function cachesSynced(caches: Caches, signal: AbortSignal): Promise<void> {
  for (const kind of kindNames) await caches[kind].whenSynced(signal);
}

function newStore(kind: KindName): Store<CachedResource, ResourceIndex> {
  return new Store<CachedResource, ResourceIndex>({
    parse: (object, before) => parseResource(kind, object, before),
    indexes: resourceIndexes,
  });
}
