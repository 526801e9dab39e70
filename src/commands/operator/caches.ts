import type { Kind } from "#src/kinds/kind.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { isUnreadable } from "#src/kube/errors.ts";
import { Reflector, type ReflectorReport } from "#src/kube/reflector.ts";
import { Store } from "#src/kube/store.ts";
import {
  type CachedResource,
  parseResource,
  type ResourceIndex,
  resourceIndexes,
} from "#src/reconcile/observe/cached-resource.ts";
import { resourceKindOf } from "#src/reconcile/perform.ts";
import type { Clock } from "#src/time/clock.ts";

/** The cached custom resources, one store per kind. */
export type Caches = PerKind<Store<CachedResource, ResourceIndex>>;

export interface CachesOptions {
  readonly kinds: readonly Kind[];
  readonly kube: KubeApi;
  /** The namespaces whose objects are cached; null: all. */
  readonly namespaces: ReadonlySet<string> | null;
  readonly telemetry: { reflector(kind: string, report: ReflectorReport): void };
  readonly clock: Clock;
  readonly random: () => number;
}

export interface StartedCaches {
  readonly caches: Caches;
  /**
   * Resolves once each kind has been listed, or cannot be: a permission or its CustomResourceDefinition is missing. The
   * reflector of such a kind keeps trying, and its store is synced as soon as it succeeds.
   */
  readonly tried: Promise<unknown>;
}

/** Starts one reflector for each kind, which keeps its store up to date until `signal` aborts: one watch for all namespaces. */
export function startCaches(
  { kinds, kube, namespaces, telemetry, clock, random }: CachesOptions,
  signal: AbortSignal,
): StartedCaches {
  const caches = newCaches(kinds);
  const tried = kinds.map((kind) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const store = caches.get(kind.name);
    store.onSynced(resolve);
    const reflector = new Reflector({
      api: kube,
      resource: resourceKindOf(kind.definition),
      ...(namespaces === null ? {} : { accepts: ({ metadata }) => namespaces.has(metadata.namespace ?? "") }),
      store,
      clock,
      random,
      report: (report) => {
        telemetry.reflector(kind.name, report);
        if (report.type === "failed" && isUnreadable(report.error)) resolve();
      },
    });
    void reflector.run(signal);
    return promise;
  });
  return { caches, tried: Promise.all(tried) };
}

/** Empty caches. */
export function newCaches(kinds: readonly Kind[]): Caches {
  return new PerKind(
    kinds,
    (kind) =>
      new Store<CachedResource, ResourceIndex>({
        parse: (object, before) => parseResource(kind, object, before),
        indexes: resourceIndexes(kind),
      }),
  );
}
