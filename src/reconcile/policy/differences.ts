import type { Fields } from "#src/kinds/fields.ts";
import { isDeepStrictEqual } from "node:util";
import type { Drift } from "#src/api/status.ts";
import { markerFitsIn, withoutMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import { readable, textOf } from "./field-differences.ts";
import { identificationOf } from "./identification-of.ts";
import type { SecretToSend } from "./step.ts";

/** How an external resource differs from the spec, and the update that removes the differences. */
export interface Differences {
  readonly body: Fields;
  readonly mask: readonly string[];
  /** The differences as people read them. */
  readonly drift: readonly Drift[];
  /** The secret that the update sends, or that it removes the one that the resource has. */
  readonly secret?: SecretToSend | "removed";
  /** Whether the platform has what was last sent to it, so that nothing but the cluster changed. */
  readonly isEdit?: true;
}

/** Whether the description that the resource is to have leaves room for the marker. */
export function markerFits({ references, markers, kind }: DecisionInput, external: ExternalResource): boolean {
  const desired = references.are === "resolved" ? references.desired["description"] : undefined;
  const text = desired ?? withoutMarker(textOf(kind.actual(external, {})["description"]));
  return markerFitsIn(textOf(text), markers[0]);
}

/** The body of the POST that creates the external resource. What is to be absent is left out. */
export function creationBody({ kind, markers }: DecisionInput, desired: Fields): Fields {
  const present = Object.fromEntries(Object.entries(desired).filter(([, value]) => value !== null));
  return kind.identification.recognizable(present, markers[0]);
}

/**
 * Compares the managed fields and no others; undefined if they are equal. A description is compared without its marker
 * and written with it. A marker that was removed is restored, and so is its record of how the resource was managed first.
 */
export function differencesOf(
  observed: DecisionInput,
  desired: Fields,
  external: ExternalResource,
): Differences | undefined {
  const { kind } = observed;
  const actual = kind.actual(external, desired);
  const body: Record<string, unknown> = {};
  const drift: Drift[] = [];
  for (const [field, expected] of Object.entries(desired)) {
    if (field === "description") continue;
    if (isDeepStrictEqual(expected, actual[field])) continue;
    body[field] = expected;
    drift.push({ field, expected: readable(expected), actual: readable(actual[field]) });
  }
  const description = identificationOf(observed).describe(observed, desired["description"], external);
  if (description !== undefined) {
    body["description"] = description.text;
    drift.push(description.drift);
  }
  return drift.length === 0 ? undefined : { body, mask: Object.keys(body), drift };
}
