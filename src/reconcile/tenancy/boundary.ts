import type { ExternalRole } from "#src/platform-client/external-resource.ts";
import { isBelow, isWithin } from "#src/platform-client/uid.ts";

/**
 * What may be used: root groups with all below them, and roles. Deny by default: creating a RoleBinding object must not
 * be a way to become owner.
 */
export interface Boundary {
  /** Uids of groups; what is managed lies below them. */
  readonly roots: readonly string[];
  /** Roles that may be bound: names of built-in ones, or uids. */
  readonly roles: readonly string[];
}

export function permitsParent({ roots }: Boundary, group: string): boolean {
  return roots.some((root) => isWithin(group, root));
}

export function permitsIdentity({ roots }: Boundary, identity: string): boolean {
  return roots.some((root) => isBelow(identity, root));
}

/** `role` is undefined for a role that was not found; then its uid alone may permit it. */
export function permitsRole({ roles }: Boundary, uid: string, builtIn: ExternalRole | undefined): boolean {
  return roles.includes(uid) || (builtIn !== undefined && roles.includes(builtIn.name));
}
