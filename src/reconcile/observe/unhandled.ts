import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import type { CachedResource } from "./cached-resource.ts";

/**
 * Whether somebody may be waiting for the object: its spec was changed, its deletion or a reconcile was requested, and its
 * status does not show yet that this was handled.
 */
export function isUnhandled({ metadata, resource: { status } }: CachedResource): boolean {
  const requested = metadata.annotations?.[reconcileRequestedAtAnnotation];
  return (
    metadata.deletionTimestamp !== undefined ||
    metadata.generation !== status?.observedGeneration ||
    (requested !== undefined && requested !== status?.lastHandledReconcileAt)
  );
}
