import type { ReadApi } from "./api.ts";
import { listAll } from "./list-all.ts";
import { type ExternalRole, roleBindings, roles as roleType } from "./permission-resources.ts";
import { SharedRoles } from "./shared-roles.ts";
import { isWithin, parentOf } from "./uid.ts";

/** What the operator's identity is allowed to do, as read from the platform under one token. */
export interface Permissions {
  /** Whether the identity holds `capability` in the group `scope`. A role binding grants in its group and below it. */
  allow(capability: string, scope: string): boolean;
  /** The uids of the identity's own role bindings, which the operator must never manage. */
  readonly ownBindings: ReadonlySet<string>;
  /** The uids of the roles that these grant: whoever changes one changes what the operator may do. */
  readonly ownRoles: ReadonlySet<string>;
}

/** A capability that the identity does not hold in a group. */
export interface MissingCapability {
  readonly capability: string;
  /** The uid of the group. */
  readonly group: string;
}

/** The roles that the identity can see. */
export interface RoleCatalog {
  /** Only built-in roles, whose uid has a single segment: a custom role may have the same name. */
  readonly byName: ReadonlyMap<string, ExternalRole>;
  readonly byUid: ReadonlyMap<string, ExternalRole>;
}

/**
 * Reads the identity's role bindings and the roles that they grant. A binding or role that is not visible grants nothing:
 * an identity that cannot list its own bindings has no permissions.
 * @param shared the roles of all sessions of the platform. @throws {PlatformFailure}
 */
export async function readPermissions(
  api: ReadApi,
  identity: string,
  signal: AbortSignal,
  shared = new SharedRoles(),
): Promise<{ permissions: Permissions; roles: RoleCatalog }> {
  const [bindings, listed] = await Promise.all([
    listAll(api, roleBindings, { filter: { identity } }, signal),
    listAll(api, roleType, {}, signal),
  ]);
  const roles = listed.resources.map((role) => shared.share(role));
  const byUid = new Map(roles.map((role) => [role.uid, role]));
  const own = bindings.resources.filter((binding) => binding.identity.uid === identity);
  const grants = own.flatMap((binding) => {
    const group = parentOf(binding.uid);
    const role = byUid.get(binding.role.uid);
    return group === undefined || role === undefined ? [] : [{ group, capabilities: shared.capabilitiesOf(role) }];
  });
  const builtIn = roles.filter((role) => parentOf(role.uid) === undefined);
  return {
    permissions: {
      allow: (capability, scope) =>
        grants.some((grant) => isWithin(scope, grant.group) && grant.capabilities.has(capability)),
      ownBindings: new Set(own.map((binding) => binding.uid)),
      ownRoles: new Set(own.map((binding) => binding.role.uid)),
    },
    roles: { byUid, byName: new Map(builtIn.map((role) => [role.name, role])) },
  };
}
