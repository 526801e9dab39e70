import type { ExternalRole } from "#src/platform-client/permission-resources.ts";
import { isBelow, isWithin } from "#src/platform-client/uid.ts";

/**
 * What the objects of a namespace may use. Everything else is denied: to create a RoleBinding object must not be a way
 * to become owner.
 */
export interface Boundary {
  /** The uids of root groups. Managed resources lie below them. */
  readonly roots: readonly string[];
  /** The roles that may be bound: names of built-in roles, or uids. */
  readonly roles: readonly string[];
}

export function permitsParent({ roots }: Boundary, group: string): boolean {
  return roots.some((root) => isWithin(group, root));
}

export function permitsIdentity({ roots }: Boundary, identity: string): boolean {
  return roots.some((root) => isBelow(identity, root));
}

/** @param builtIn the built-in role with this uid; if there is none, only the uid itself can permit the role. */
export function permitsRole({ roles }: Boundary, uid: string, builtIn: ExternalRole | undefined): boolean {
  return roles.includes(uid) || (builtIn !== undefined && roles.includes(builtIn.name));
}
