import { isDeepStrictEqual } from "node:util";
import type { Drift } from "#src/api/status.ts";
import type { Fields } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import { markerIn, maxDescriptionLength, withMarker, withoutMarker } from "#src/kinds/marker.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";

/** What has to be written to make a row what it should be, and how it differs in people's terms. */
export interface Differences {
  readonly body: Fields;
  readonly mask: readonly string[];
  readonly drift: readonly Drift[];
}

/** The body of the POST that makes the thing. */
export function creationBody(observed: Observed, desired: Fields): Fields {
  if (!observed.kind.marked) return desired;
  return { ...desired, description: withMarker(textOf(desired["description"]), observed.markers[0]) };
}

/**
 * Compares the fields that are managed and no others; undefined where nothing differs. The marker is stripped before a
 * description is compared and kept by what is written. One that another hand took away is put back on what we made,
 * and never put on what was adopted, unless its description has to be written anyway.
 */
export function differencesOf(observed: Observed, desired: Fields, row: ExternalResource): Differences | undefined {
  const { kind, markers } = observed;
  const actual = kind.actual(row, desired);
  const body: Record<string, unknown> = {};
  const drift: Drift[] = [];
  for (const [field, expected] of Object.entries(desired)) {
    if (kind.marked && field === "description") continue;
    if (isDeepStrictEqual(expected, actual[field])) continue;
    body[field] = expected;
    drift.push({ field, expected: shown(expected), actual: shown(actual[field]) });
  }
  if (kind.marked) {
    const present = textOf(actual["description"]);
    const text = withoutMarker(present);
    const wanted = desired["description"] === undefined ? text : textOf(desired["description"]);
    const marker = markerIn(present);
    const lostMarker = marker === undefined && !isAdopted(observed) && fits(wanted, markers[0]);
    if (wanted !== text || lostMarker) {
      body["description"] = withMarker(wanted, marker !== undefined && markers.includes(marker) ? marker : markers[0]);
      drift.push({
        field: "description",
        expected: wanted,
        actual: wanted === text ? `${text} (without Muster's marker)` : text,
      });
    }
  }
  return drift.length === 0 ? undefined : { body, mask: Object.keys(body), drift };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The platform counts characters, not UTF-16 units. */
function fits(description: string, marker: string): boolean {
  return Array.from(withMarker(description, marker)).length <= maxDescriptionLength;
}

/** Whether the spec lets the resource stand for something that we did not make. */
function isAdopted({ resource }: Observed): boolean {
  return resource.spec.uid !== undefined || resource.spec.policy.adoption === "IfExists";
}

function shown(value: unknown): string {
  if (value === undefined) return "(absent)";
  return typeof value === "string" ? value : JSON.stringify(value);
}
