import type { CachedResource } from "./cached-resource.ts";
import { requestedReconcile } from "./requested-reconcile.ts";

/**
 * Whether somebody may be waiting for the object: its spec was changed, its deletion or a reconcile was requested, and its
 * status does not show yet that this was handled.
 */
export function isUnhandled({ metadata, resource: { status } }: CachedResource): boolean {
  const requested = requestedReconcile(metadata);
  return (
    metadata.deletionTimestamp !== undefined ||
    metadata.generation !== status?.observedGeneration ||
    (requested !== undefined && requested !== status?.lastHandledReconcileAt)
  );
}
