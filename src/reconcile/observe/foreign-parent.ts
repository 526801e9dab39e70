import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { governanceIn, type TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { Sources } from "./sources.ts";
import { uidByMarker } from "./uid-by-marker.ts";

/**
 * The groups in which an object has, or may have, its resource because it refers to a parent in a namespace of another
 * Tenant: what the reference names now, and what the status recorded. Undefined if the parent is not in such a namespace.
 * The other Tenant may have granted the use of the group, and may have revoked it since.
 */
export function foreignParentOf(
  sources: Pick<Sources, "kinds" | "stores" | "tenancy" | "owners">,
  { name: tenant }: TenantContext,
  kind: Kind,
  resource: Resource,
): readonly string[] | undefined {
  const { stores, tenancy } = sources;
  const target = kind.references(resource).find(({ role }) => role === "parent")?.target;
  if (target?.by !== "resource") return undefined;
  const own = resource.metadata.namespace ?? "";
  const { namespace = own, name } = target.reference;
  if (namespace === own) return undefined;
  const governance = governanceIn(tenancy, resource, namespace);
  if (governance.by === "tenant" && governance.context.name === tenant) return undefined;
  const key = `${namespace}/${name}`;
  const present = stores.get(target.kind).get(key)?.resource.status?.uid ?? uidByMarker(sources, target.kind, key);
  return [...new Set([present, resource.status?.parentUid].filter((uid) => uid !== undefined))];
}

/** Those of `groups` that the session must be extended to. The settings of the operator are the outer bound. */
export function extensionsFor({ session, boundary }: TenantContext, groups: readonly string[]): string[] {
  const isIn = (group: string, bound: readonly string[]) => bound.some((one) => isWithin(group, one));
  return groups.filter((group) => !isIn(group, session.roots) && isIn(group, boundary.outerGroups));
}
