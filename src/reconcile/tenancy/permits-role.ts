import type { ExternalRole } from "#src/platform-client/permission-resources.ts";
import type { Boundary } from "./boundary.ts";

/**
 * Whether a role may be bound: the Tenant and the settings of the operator list it, by its name or its uid.
 * @param builtIn the built-in role with this uid; if there is none, only the uid itself can permit the role.
 */
export function permitsRole({ roles, outerRoles }: Boundary, uid: string, builtIn: ExternalRole | undefined): boolean {
  return [roles, outerRoles].every(
    (permitted) => permitted.includes(uid) || (builtIn !== undefined && permitted.includes(builtIn.name)),
  );
}
