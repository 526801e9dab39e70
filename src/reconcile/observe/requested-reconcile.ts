import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { boundedText } from "#src/api/bounded-text.ts";
import type { ObjectMeta } from "#src/api/metadata.ts";
import { statusBounds } from "#src/api/status.ts";

/** The value with which somebody requested a reconcile, as the status repeats it, where it must fit. */
export function requestedReconcile({ annotations }: ObjectMeta): string | undefined {
  const value = annotations?.[reconcileRequestedAtAnnotation];
  return value === undefined ? undefined : boundedText(value, statusBounds.text);
}
