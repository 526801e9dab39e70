import type { Resource } from "#src/api/custom-resource.ts";
import type { ReconcileState } from "./reconcile-state.ts";

/**
 * An object that is deleted before the uid of what this process created for it was recorded: the Tenant of the POST completes
 * the deletion, as if the status named it. The Tenant that selects the namespace by now may see nothing of it.
 */
export function underPoster(resource: Resource, { posted }: ReconcileState): Resource {
  const { status, metadata } = resource;
  if (metadata.deletionTimestamp === undefined || status?.uid !== undefined || posted?.tenant === undefined)
    return resource;
  return { ...resource, status: { observedGeneration: -1, ...status, tenant: posted.tenant } };
}
