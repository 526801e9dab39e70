import type { Kind } from "#src/kinds/kind.ts";
import { isInScope, type ListScope } from "#src/platform-client/api.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { CachedResource } from "./cached-resource.ts";
import { claimedState } from "./claimed-state.ts";
import { servedObjects } from "./served-objects.ts";
import type { Sources } from "./sources.ts";

/**
 * After a list of `scope` was recorded: the objects of the session that record a resource in it which the list did not show. The list
 * may differ in nothing from what the session knew before, because a DELETE of ours had removed the resource already: what an object says
 * is compared with what is known now.
 */
export function missingObjects(
  sources: Pick<Sources, "stores" | "tenancy" | "owners">,
  session: PlatformSession,
  { name, collection }: Kind,
  scope: ListScope,
): readonly CachedResource[] {
  const view = session.viewOf(collection);
  const isMissing = (cached: CachedResource) => {
    const { uid } = cached.resource.status ?? {};
    if (uid === undefined || !isInScope(collection, uid, scope)) return false;
    return claimedState(sources.owners, view, cached, uid).is !== "present";
  };
  return [...servedObjects(sources, session, name, isMissing)];
}
