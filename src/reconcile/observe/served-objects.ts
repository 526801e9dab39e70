import type { PlatformSession } from "#src/platform-client/session.ts";
import { isServedBy } from "#src/reconcile/tenancy/tenancy.ts";
import type { CachedResource } from "./cached-resource.ts";
import type { Sources } from "./sources.ts";

/**
 * The objects of a kind that the session reconciles, those that are being deleted included.
 * @param where which of them; it is asked first, because who reconciles an object takes longer to tell than what the object says.
 */
export function* servedObjects(
  { stores, tenancy }: Pick<Sources, "stores" | "tenancy">,
  session: PlatformSession,
  kind: string,
  where: (cached: CachedResource) => boolean = () => true,
): Iterable<CachedResource> {
  const store = stores.get(kind);
  const namespaces = tenancy.namespacesOf(session);
  const candidates =
    namespaces === undefined
      ? store.values()
      : Iterator.from(namespaces).flatMap((namespace) => store.index("namespace", namespace));
  for (const cached of candidates) if (where(cached) && isServedBy(tenancy, cached.resource, session)) yield cached;
}
