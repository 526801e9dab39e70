import { resourceKindOf } from "#src/api/resource-kind.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { newResourceStores, type ResourceStores } from "#src/reconcile/observe/resource-stores.ts";
import { type ReflectorContext, startReflector } from "./start-reflector.ts";

export interface CachesOptions extends ReflectorContext {
  readonly kinds: readonly Kind[];
  /** The namespaces whose objects are cached; null: all. */
  readonly namespaces: ReadonlySet<string> | null;
}

export interface StartedCaches {
  readonly caches: ResourceStores;
  /**
   * Resolves once each kind has been listed, or cannot be: a permission or its CustomResourceDefinition is missing. The
   * reflector of such a kind keeps trying, and its store is synced as soon as it succeeds.
   */
  readonly tried: Promise<unknown>;
}

/** Starts one reflector for each kind, which keeps its store up to date until `signal` aborts: one watch for all namespaces. */
export function startCaches({ kinds, namespaces, ...context }: CachesOptions, signal: AbortSignal): StartedCaches {
  const caches = newResourceStores(kinds);
  const accepts =
    namespaces === null ? undefined : ({ metadata }: KubeObject) => namespaces.has(metadata.namespace ?? "");
  const tried = kinds.map((kind) =>
    startReflector(context, resourceKindOf(kind.definition), caches.get(kind.name), signal, accepts),
  );
  return { caches, tried: Promise.all(tried) };
}
