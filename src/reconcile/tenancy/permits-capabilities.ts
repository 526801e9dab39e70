import { parentOf } from "#src/platform-client/uid.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import type { Boundary } from "./boundary.ts";
import { permitsRole } from "./permits-role.ts";

/** What decides which capabilities the roles that a Tenant declares may have. */
export interface CapabilityLimits {
  readonly boundary: Boundary;
  /** The roles that the Tenant's credential can see. */
  readonly roles: RoleCatalog;
  /** Whether an object of any Tenant manages the role. Such a role permits nothing: it would permit what it came to have. */
  readonly isDeclaredRole: (uid: string) => boolean;
}

/** Those of `capabilities` that no role has which the Tenant may bind, and which no object manages. */
export function excessOf(capabilities: readonly string[], limits: CapabilityLimits): readonly string[] {
  const permitted = permittedCapabilities(limits);
  return capabilities.filter((capability) => !permitted.has(capability));
}

function permittedCapabilities({ boundary, roles, isDeclaredRole }: CapabilityLimits): ReadonlySet<string> {
  // By what the Tenant lists, and not of all roles: anybody may create thousands in a group.
  const listed = boundary.roles.flatMap((role) => roles.byName.get(role) ?? roles.byUid.get(role) ?? []);
  const permitted = listed.filter((role) => {
    const builtIn = parentOf(role.uid) === undefined ? role : undefined;
    return permitsRole(boundary, role.uid, builtIn) && !isDeclaredRole(role.uid);
  });
  return new Set(permitted.flatMap(({ capabilities }) => capabilities));
}
