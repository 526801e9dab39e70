import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { markersOf } from "./observe.ts";
import type { Sources } from "./sources.ts";

/**
 * The uids of the orphans of a kind: its external resources with one of our markers but without a custom resource. None
 * while the custom resources have not been read.
 */
export function observeOrphans({ stores, owners, tenancy }: Sources, kind: Kind): string[] {
  if (!kind.hasMarker || !stores.get(kind.name).synced) return [];
  const known = new Set([...stores.get(kind.name).values()].flatMap((cached) => markersOf(owners, cached)));
  const orphans = Array.from(tenancy.sessions).flatMap((session) =>
    findOrphans(session.viewOf(kind.collection).resources(), owners, known),
  );
  // Several sessions may see one resource.
  return [...new Set(orphans)];
}

/** The uids of the resources with a marker of `owners` that is not `known`. */
export function findOrphans(
  externals: Iterable<ExternalResource>,
  owners: readonly string[],
  known: ReadonlySet<string>,
): string[] {
  const orphans: string[] = [];
  for (const external of externals) {
    const marker = carriedMarker(external);
    if (marker !== undefined && owners.some((owner) => marker.startsWith(`${owner}-`)) && !known.has(marker))
      orphans.push(external.uid);
  }
  return orphans;
}
