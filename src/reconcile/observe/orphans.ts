import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, objectOf, ownerOf } from "#src/kinds/marker.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { hasManager } from "./claims.ts";
import { observe } from "./observe.ts";
import type { Sources } from "./sources.ts";

/**
 * The uids of the orphans of a kind: its external resources with one of our markers that no object manages. That includes
 * a copy of a marker, whose object manages another resource, and a resource below another group than its object names. None
 * while the custom resources have not been read. A kind without markers has none that could be known: what its objects left
 * behind equals what somebody else may have created, and is found as undeclared access.
 * @param sessions whose views are searched; by default those of all sessions.
 */
export function observeOrphans(
  sources: Sources,
  kind: Kind,
  sessions: Iterable<PlatformSession> = sources.tenancy.sessions,
): string[] {
  const orphans = new Set<string>();
  if (!sources.stores.get(kind.name).synced) return [];
  for (const session of sessions)
    for (const external of session.viewOf(kind.collection).resources())
      if (isOrphan(sources, kind, external)) orphans.add(external.uid);
  return [...orphans];
}

function isOrphan(sources: Sources, kind: Kind, external: ExternalResource): boolean {
  const marker = carriedMarker(external);
  if (marker === undefined || !sources.owners.includes(ownerOf(marker))) return false;
  const store = sources.stores.get(kind.name);
  if (hasManager(sources, kind, external)) return false;
  return !store.index("object", objectOf(marker)).some((cached) => {
    const recorded = cached.resource.status?.uid;
    // An object that has no resource yet is about to find this one, if it is below the group that the spec names.
    return (
      recorded === undefined &&
      observe(sources, kind, keyOf(cached))?.matches.some(({ uid }) => uid === external.uid) === true
    );
  });
}
