import type { Resource } from "#src/api/custom-resource.ts";
import type { IdentityClaims, Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { People } from "./observed.ts";
import type { Sources } from "./sources.ts";

/** The identities for which one of the resources that are found vouches; null unless the object is being deleted. */
export function peopleOf(
  { kinds }: Pick<Sources, "kinds">,
  session: PlatformSession,
  kind: Kind,
  { metadata }: Resource,
  found: readonly ExternalResource[],
): People | null {
  const { vouching } = kind;
  const [external] = found;
  const collection = kinds.find(({ name }) => name === "Identity")?.collection;
  if (vouching === null || external === undefined || collection === undefined) return null;
  const group = kind.collection.uids.parentOf(external.uid);
  if (metadata.deletionTimestamp === undefined || group === undefined) return null;
  const view = session.viewOf(collection);
  const uids = view
    .childrenOf(group)
    .filter((identity) => vouching.vouchesFor(external, identity as IdentityClaims))
    .map(({ uid }) => uid);
  return { group, snapshot: view.snapshotOf(group) ?? null, uids };
}
