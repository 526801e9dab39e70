import { isWithin } from "#src/platform-client/uid.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { People } from "./people.ts";

/**
 * Whether an object, in any state, declares an identity provider in the group or above it that the platform does not have. Its
 * people are people nevertheless: it may have been deleted by mistake, and comes back. Where it belongs is perhaps not known;
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
      if (status?.uid === undefined || !people.hasProvider(status.uid)) return true;
    }
  }
  return false;
}
