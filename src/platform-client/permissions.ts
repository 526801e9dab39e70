import type { PlatformApi } from "./api.ts";
import { listAll } from "./list-all.ts";
import type { ExternalRole } from "./external-resource.ts";
import { isWithin, parentOf } from "./uid.ts";

/** What the operator's identity may do, as read from the platform under one token. */
export interface Permissions {
  /** Whether the identity holds `capability` in the group `scope`: a binding holds in its group and below it. */
  allow(capability: string, scope: string): boolean;
  /** The role bindings of the identity itself: never to be managed. */
  readonly ownBindings: ReadonlySet<string>;
}

/** The built-in roles: those whose uid is a single segment. A name means the built-in role of that name. */
export interface RoleCatalog {
  readonly byName: ReadonlyMap<string, ExternalRole>;
  readonly byUid: ReadonlyMap<string, ExternalRole>;
}

/**
 * Reads the identity's own bindings and the roles that they grant. What cannot be seen is not held: an identity that may
 * not list its own bindings proves nothing.
 */
export async function readPermissions(
  api: PlatformApi,
  identity: string,
  signal: AbortSignal,
): Promise<{ rights: Permissions; roles: RoleCatalog }> {
  const [bindings, roles] = await Promise.all([
    listAll(api, "roleBindings", { filter: { identity } }, signal),
    listAll(api, "roles", {}, signal),
  ]);
  const byUid = new Map(roles.rows.map((role) => [role.uid, role]));
  const own = bindings.rows.filter((binding) => binding.identity.uid === identity);
  const grants = own.flatMap((binding) => {
    const group = parentOf(binding.uid);
    const role = byUid.get(binding.role.uid);
    return group === undefined || role === undefined ? [] : [{ group, capabilities: new Set(role.capabilities) }];
  });
  return {
    rights: {
      allow: (capability, scope) =>
        grants.some((grant) => isWithin(scope, grant.group) && grant.capabilities.has(capability)),
      ownBindings: new Set(own.map((binding) => binding.uid)),
    },
    roles: {
      byUid,
      byName: new Map(roles.rows.filter((role) => parentOf(role.uid) === undefined).map((role) => [role.name, role])),
    },
  };
}
