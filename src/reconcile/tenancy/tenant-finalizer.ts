import { hasFinalizer, type Resource } from "#src/api/custom-resource.ts";
import { type CachedTenant, isBeingDeleted } from "./cached-tenant.ts";
import { isSelected } from "./namespace-selection.ts";

export type FinalizerChange = "add" | "remove" | "none";

/**
 * What to do about the finalizer of a Tenant: it is present from when the operator first sees the Tenant until the Tenant is
 * being deleted and guards no object any longer. Meanwhile the Tenant serves the deletions of these objects.
 * @param guards whether an object needs the Tenant to be deleted on the platform; asked only if that decides.
 */
export function decideTenantFinalizer(tenant: CachedTenant, guards: () => boolean): FinalizerChange {
  const isPresent = hasFinalizer(tenant);
  if (!isBeingDeleted(tenant)) return isPresent ? "none" : "add";
  return isPresent && !guards() ? "remove" : "none";
}

/**
 * Whether the object needs the Tenant for its deletion: it carries our finalizer, and its status names the Tenant; or it
 * names none, and the Tenant selects its namespace.
 * @param labels the labels of the object's namespace; undefined if they are not known.
 */
export function isGuardedBy(
  { metadata, spec }: CachedTenant,
  resource: Resource,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (!hasFinalizer(resource)) return false;
  const { namespace = "" } = resource.metadata;
  const { status } = resource;
  if (status?.tenant !== undefined) return status.tenant === metadata.name;
  return spec !== undefined && isSelected(spec, namespace, labels);
}
