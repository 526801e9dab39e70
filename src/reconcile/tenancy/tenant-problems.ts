import type { TenantSpec } from "#src/api/tenant.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import type { OuterBound } from "./boundary.ts";

/** What a Tenant names that does not exist or that the operator's settings do not allow. Plain data. */
export interface TenantProblems {
  /** Groups that lie in no root group of the operator. */
  readonly groupsOutside: readonly string[];
  /** Roles that the operator's settings do not allow. */
  readonly rolesOutside: readonly string[];
  /** Namespaces that the Tenant names and the operator's settings do not allow. */
  readonly namespacesOutside: readonly string[];
  /** Roles that the platform does not have, or that the identity cannot see. Empty until the roles were read. */
  readonly unknownRoles: readonly string[];
  /** The roles that the operator's settings allow. */
  readonly allowedRoles: readonly string[];
}

/** @param roles undefined until they were read. */
export function findTenantProblems(
  { groups = [], roles: names = [], namespaces = [] }: TenantSpec,
  outer: OuterBound,
  roles: RoleCatalog | undefined,
): TenantProblems {
  return {
    groupsOutside: groups.filter(
      (group) => !outer.roots.some((root) => isWithin(group, root) || isWithin(root, group)),
    ),
    rolesOutside: names.filter((name) => !isAllowed(name, outer, roles)),
    namespacesOutside: namespaces.filter((name) => outer.namespaces !== null && !outer.namespaces.includes(name)),
    unknownRoles: roles === undefined ? [] : findUnknownRoles(names, roles),
    allowedRoles: outer.roles,
  };
}

/** The names and uids of roles that the platform does not have, or that the identity cannot see. */
export function findUnknownRoles(names: readonly string[], roles: RoleCatalog): string[] {
  return names.filter((name) => !roles.byName.has(name) && !roles.byUid.has(name));
}

/** A role may be named by its name in one list and by its uid in the other. */
function isAllowed(name: string, outer: OuterBound, roles: RoleCatalog | undefined): boolean {
  if (outer.roles.includes(name)) return true;
  const uid = roles?.byName.get(name)?.uid;
  const builtIn = [...(roles?.byName.values() ?? [])].find((role) => role.uid === name)?.name;
  return (uid !== undefined && outer.roles.includes(uid)) || (builtIn !== undefined && outer.roles.includes(builtIn));
}
