import type { Kind } from "#src/kinds/kind.ts";
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
