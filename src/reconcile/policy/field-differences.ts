import type { Fields } from "#src/kinds/fields.ts";
import { isDeepStrictEqual } from "node:util";
import type { Drift } from "#src/api/status.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { withoutMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";

/** The managed fields that differ, as people read them, without regard to the marker. */
export function fieldDifferences(kind: Kind, desired: Fields, external: ExternalResource): Drift[] {
  const actual = kind.actual(external, desired);
  return Object.entries(desired).flatMap(([field, expected]) => {
    const value = field === "description" ? withoutMarker(textOf(actual[field])) : actual[field];
    return isDeepStrictEqual(expected, value) ? [] : [{ field, expected: readable(expected), actual: readable(value) }];
  });
}

/** The text of a field; empty if it has none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value of a field as people read it. */
export function readable(value: unknown): string {
  if (value === undefined) return "(absent)";
  return typeof value === "string" ? value : JSON.stringify(value);
}
