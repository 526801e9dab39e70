import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { permitsParent, permitsRole } from "#src/reconcile/tenancy/boundary.ts";
import { excessOf } from "#src/reconcile/tenancy/permits-capabilities.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { capabilitiesOf, isDeclaredRole } from "./declared-roles.ts";
import type { Grants } from "./observed.ts";
import type { Sources } from "./sources.ts";

/** What was read of the role bindings of those of the resources that are identities. */
export function grantsOf(
  sources: Pick<Sources, "kinds" | "stores" | "tenancy">,
  { session, boundary }: TenantContext,
  kind: Kind,
  found: readonly ExternalResource[],
): readonly Grants[] {
  return found.flatMap((external) => {
    const grants = kind.identityOf(external) === external.uid ? session.grantsOf(external.uid) : undefined;
    if (grants === undefined) return [];
    const denied = grants.bindings.filter(
      ({ uid, role }) =>
        !permitsParent(boundary, parentOf(uid) ?? "") || !mayBind(sources, { session, boundary }, role.uid),
    );
    return [{ identity: external.uid, readAt: grants.readAt, denied: denied.map(({ uid }) => uid) }];
  });
}

/** Whether the Tenant may bind the role: it lists it, or an object declares it and its capabilities permit that. */
function mayBind(
  sources: Pick<Sources, "kinds" | "stores" | "tenancy">,
  { session, boundary }: Pick<TenantContext, "session" | "boundary">,
  uid: string,
): boolean {
  const { roles } = session;
  const builtIn = parentOf(uid) === undefined ? roles?.byUid.get(uid) : undefined;
  if (permitsRole(boundary, uid, builtIn)) return true;
  if (roles === undefined || !isDeclaredRole(sources, uid)) return false;
  const capabilities = capabilitiesOf(sources, uid);
  const limits = { boundary, roles, isDeclaredRole: (role: string) => isDeclaredRole(sources, role) };
  return capabilities !== undefined && excessOf(capabilities, limits).length === 0;
}
