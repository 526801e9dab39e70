import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import { markerIn } from "#src/kinds/marker.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";

/** The marker of another object or owner that `row` carries; undefined where it carries ours or none. */
export function foreignMarker({ kind, markers }: Observed, row: ExternalResource): string | undefined {
  if (!kind.marked || !("description" in row)) return undefined;
  const marker = markerIn(row.description);
  return marker === undefined || markers.includes(marker) ? undefined : marker;
}
