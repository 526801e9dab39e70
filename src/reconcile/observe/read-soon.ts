import type { Kind } from "#src/kinds/kind.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { MonotonicTime } from "./observed.ts";
import type { Sources } from "./sources.ts";

/** How many objects are looked at: as many as one list can read the resources of. */
const maxObjects = 200;

/**
 * The uids of the resources that are probably read soon, with the session: those of objects that were edited or are being
 * deleted. When many objects change at once, one list reads their resources.
 * @param outdatedBefore whatever was read before this time is read again before a write.
 */
export function readSoon(
  { states, stores, tenancy }: Sources,
  kind: Kind,
  session: PlatformSession,
  outdatedBefore: MonotonicTime,
): readonly string[] {
  const view = session.viewOf(kind.collection);
  const store = stores.get(kind.name);
  return states
    .get(kind.name)
    .takeChanged(maxObjects)
    .flatMap(([key, changedAt]) => {
      const resource = store.get(key)?.resource;
      const uid = resource?.status?.uid;
      if (resource === undefined || uid === undefined) return [];
      const governance = tenancy.governanceOf(resource);
      if (governance.by !== "tenant" || governance.context.session !== session) return [];
      const known = view.stateOf(uid);
      return known.is === "present" && known.seenAt < Math.max(changedAt, outdatedBefore) ? [uid] : [];
    });
}
