import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import { markerIn } from "./marker.ts";
import type { Observed } from "./observed.ts";

/** The marker of another object or owner that `row` carries; undefined where it carries ours or none. */
export function foreignMarker({ kind, markers }: Observed, row: ExternalResource): string | undefined {
  if (!kind.marked || !("description" in row)) return undefined;
  const marker = markerIn(row.description);
  return marker === undefined || markers.includes(marker) ? undefined : marker;
}
