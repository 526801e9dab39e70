import type { Kind } from "#src/kinds/kind.ts";
import { type CachedResource, referenceKey, uidKey } from "./observe/cached-resource.ts";
import type { Sources } from "./observe/sources.ts";

/**
 * The objects whose references depend on an object, each with its kind: those that name it, and those that use its uid because
 * it permits that. A uid that the Tenant's own limits permit depends on no object.
 * @param states of the one object, before and after a change
 */
export function referrersOf(
  { kinds, stores }: Pick<Sources, "kinds" | "stores">,
  kind: Kind,
  ...states: readonly [CachedResource, ...CachedResource[]]
): (readonly [kind: string, referrer: CachedResource])[] {
  const [{ metadata }] = states;
  const reference = referenceKey(kind.name, metadata.namespace ?? "", metadata.name);
  const shares = states.some(({ resource }) => resource.spec.allowedNamespaces !== undefined);
  // What a Role allows counts within its Tenant, too.
  const uids =
    shares || kind.bindable !== null ? new Set(states.flatMap(({ resource }) => resource.status?.uid ?? [])) : [];
  const usesUid = ({ metadata: { namespace = "" } }: CachedResource) =>
    kind.bindable !== null || states.some(({ resource }) => resource.spec.allowedNamespaces?.includes(namespace));
  return kinds.flatMap(({ name }) => {
    const store = stores.get(name);
    const byUid = [...uids].flatMap((uid) => store.index("refersToUid", uidKey(kind.name, uid)).filter(usesUid));
    return [...store.index("refersTo", reference), ...byUid].map((referrer) => [name, referrer] as const);
  });
}
