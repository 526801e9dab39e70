import type { Resource } from "#src/api/custom-resource.ts";
import type { IdentityClaims, Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isManaged } from "./is-managed.ts";
import type { People } from "./observed.ts";
import type { Sources } from "./sources.ts";

/**
 * The identities for which one of the resources that are found vouches; null unless the object is being deleted. One that an
 * object manages is not a person's: it stays as the object says.
 */
export function peopleOf(
  { kinds, stores }: Pick<Sources, "kinds" | "stores">,
  session: PlatformSession,
  kind: Kind,
  resource: Resource,
  found: readonly ExternalResource[],
): People | null {
  const { vouching } = kind;
  const [external] = found;
  const collection = kinds.find(({ name }) => name === "Identity")?.collection;
  if (vouching === null || external === undefined || collection === undefined) return null;
  const group = kind.collection.uids.parentOf(external.uid);
  if (resource.metadata.deletionTimestamp === undefined || group === undefined) return null;
  const view = session.viewOf(collection);
  const uids = view
    .childrenOf(group)
    .filter((identity) => vouching.vouchesFor(resource, external, identity as IdentityClaims))
    .filter((identity) => !isManaged({ kinds, stores }, identity.uid))
    .map(({ uid }) => uid);
  return { group, snapshot: view.snapshotOf(group) ?? null, uids };
}
