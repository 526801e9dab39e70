import { markerOf } from "#src/kinds/marker.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import type { Sources } from "./sources.ts";

/**
 * The uid of the resource that carries the marker of the object at `key`, whose status may be lost. Undefined if none is known,
 * or several are, or the object manages nothing.
 */
export function uidByMarker(
  { kinds, stores, tenancy, owners }: Pick<Sources, "kinds" | "stores" | "tenancy" | "owners">,
  kindName: string,
  key: string,
): string | undefined {
  const kind = kinds.find(({ name }) => name === kindName);
  const cached = stores.get(kindName).get(key);
  if (kind === undefined || cached === undefined || !mayHaveManaged(cached.resource)) return undefined;
  const markers = owners.map((owner) => markerOf(owner, cached.objectHash));
  const uids = new Set<string>();
  for (const session of tenancy.sessions)
    for (const marker of markers) for (const { uid } of session.viewOf(kind.collection).withKey(marker)) uids.add(uid);
  const [uid] = uids;
  return uids.size === 1 ? uid : undefined;
}
