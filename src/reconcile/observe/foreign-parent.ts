import type { Resource } from "#src/api/custom-resource.ts";
import { parentField } from "#src/kinds/parent-reference.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { referredKinds } from "#src/kinds/referred-kinds.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { permitsParent } from "#src/reconcile/tenancy/boundary.ts";
import { governanceIn, type TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { objectsWithUid } from "./objects-with-uid.ts";
import { mayShare } from "./referenced-objects.ts";
import type { Sources } from "./sources.ts";
import { uidByMarker } from "./uid-by-marker.ts";

/**
 * The groups in which an object has, or may have, its resource because it refers to a parent in a namespace of another
 * Tenant, or to its uid: what the reference names now, and what the status recorded. Undefined if there is no such parent.
 * The other Tenant may have granted the use of the group, and may have revoked it since.
 */
export function foreignParentOf(
  sources: Pick<Sources, "kinds" | "stores" | "tenancy" | "owners">,
  context: TenantContext,
  kind: Kind,
  resource: Resource,
): readonly string[] | undefined {
  const { stores, tenancy } = sources;
  const target = parentField(kind, resource)?.target;
  if (target?.by === "uid") return isOfAnotherTenant(sources, context, target.uid) ? [target.uid] : undefined;
  if (target?.by !== "resource") return undefined;
  const own = resource.metadata.namespace ?? "";
  const { namespace = own, name } = target.reference;
  if (namespace === own) return undefined;
  const governance = governanceIn(tenancy, namespace);
  if (governance.by === "tenant" && governance.context.name === context.name) return undefined;
  const key = `${namespace}/${name}`;
  const present = stores.get(target.kind).get(key)?.resource.status?.uid ?? uidByMarker(sources, target.kind, key);
  return [...new Set([present, resource.status?.parentUid].filter((uid) => uid !== undefined))];
}

/** Whether a group outside of the Tenant's groups is one that an object of another Tenant has, and grants or may have granted. */
function isOfAnotherTenant(
  { stores, tenancy }: Pick<Sources, "stores" | "tenancy">,
  { name: tenant, boundary }: TenantContext,
  group: string,
): boolean {
  if (permitsParent(boundary, group)) return false;
  return objectsWithUid(stores.get(referredKinds.parent), group).some(({ resource }) => {
    const governance = governanceIn(tenancy, resource.metadata.namespace ?? "");
    return (
      governance.by === "tenant" && governance.context.name !== tenant && mayShare(resource, group, governance.context)
    );
  });
}

/** Those of `groups` that the session must be extended to. The settings of the operator are the outer bound. */
export function extensionsFor({ session, boundary }: TenantContext, groups: readonly string[]): string[] {
  const isIn = (group: string, bound: readonly string[]) => bound.some((one) => isWithin(group, one));
  return groups.filter((group) => !isIn(group, session.roots) && isIn(group, boundary.outerGroups));
}
