import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import type { Enqueue } from "./enqueue.ts";
import { type CachedResource, referenceKey } from "./observe/cached-resource.ts";
import type { Sources } from "./observe/sources.ts";

/** The objects that refer to `cached`, each with its kind. */
export function referrersOf(
  { kinds, stores }: Pick<Sources, "kinds" | "stores">,
  kind: Kind,
  { metadata }: CachedResource,
): (readonly [kind: string, referrer: CachedResource])[] {
  const reference = referenceKey(kind.name, metadata.namespace ?? "", metadata.name);
  return kinds.flatMap(({ name }) =>
    stores
      .get(name)
      .index("refersTo", reference)
      .map((referrer) => [name, referrer] as const),
  );
}

/**
 * The objects that bind the role of `cached`, after the role changed on the platform: whether they may do so depends on what
 * the role allows.
 */
export function wakeBinders(
  sources: Pick<Sources, "kinds" | "stores">,
  kind: Kind,
  cached: CachedResource,
  enqueue: Enqueue,
  options: AddOptions,
): void {
  if (kind.bindable === null) return;
  for (const [name, referrer] of referrersOf(sources, kind, cached)) enqueue(name, keyOf(referrer), options);
}
