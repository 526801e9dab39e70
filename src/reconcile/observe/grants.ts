import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { permitsParent, permitsRole } from "#src/reconcile/tenancy/boundary.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { Grants } from "./observed.ts";

/** What was read of the role bindings of those of the resources that are identities. */
export function grantsOf(
  { session, boundary }: TenantContext,
  kind: Kind,
  found: readonly ExternalResource[],
): readonly Grants[] {
  return found.flatMap((external) => {
    const grants = kind.identityOf(external) === external.uid ? session.grantsOf(external.uid) : undefined;
    if (grants === undefined) return [];
    const denied = grants.bindings.filter(({ uid, role }) => {
      const builtIn = parentOf(role.uid) === undefined ? session.roles?.byUid.get(role.uid) : undefined;
      return !permitsParent(boundary, parentOf(uid) ?? "") || !permitsRole(boundary, role.uid, builtIn);
    });
    return [{ identity: external.uid, readAt: grants.readAt, denied: denied.map(({ uid }) => uid) }];
  });
}
