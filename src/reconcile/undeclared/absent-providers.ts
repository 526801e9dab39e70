import { isWithin } from "#src/platform-client/uid.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { People } from "./people.ts";

/**
 * Whether an object, in any state, declares an identity provider in the group or above it that the platform does not have,
 * or has with another issuer. Its people are people nevertheless: somebody may have deleted or changed it by mistake, or to have
 * its people removed. Where it belongs is perhaps not known;
 * then it may be here.
 */
export function isProviderAbsent(
  { kinds, stores }: Pick<Sources, "kinds" | "stores">,
  people: Pick<People, "hasProvider">,
  group: string,
): boolean {
  for (const kind of kinds) {
    if (kind.vouching === null) continue;
    for (const { resource, invalid } of stores.get(kind.name).values()) {
      const { status } = resource;
      const parent =
        invalid === undefined ? kind.references(resource).find(({ role }) => role === "parent") : undefined;
      const named = parent?.target.by === "uid" ? parent.target.uid : undefined;
      const above = status?.parentUid ?? named;
      if (above !== undefined && !isWithin(group, above)) continue;
      // What cannot be read names no issuer. A provider of another issuer lets other people in: those of the object are unknown.
      const isPresent =
        invalid === undefined &&
        status?.uid !== undefined &&
        people.hasProvider(status.uid, kind.vouching.issuerOf(resource));
      if (!isPresent) return true;
    }
  }
  return false;
}
