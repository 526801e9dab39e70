import { roleKind, type DescribedRole } from "#src/kinds/role.ts";
import { isBelow } from "#src/platform-client/uid.ts";
import type { Declarations } from "./declarations.ts";
import { declareResource } from "./declare-resource.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import type { Protection, ProtectedIdentities } from "./protected-identities.ts";
import { isBuiltIn, type RoleReference, type TenantLimits } from "./tenant-limits.ts";
import { shortList } from "#src/text/short-list.ts";

/** How many capabilities a reason names. */
const named = 3;

/** Why the role of an identity gets no object: whoever could change it would change what the identity may do. */
const protections = {
  emergency: "which is for emergencies",
  credential: "the credential of an operator",
} as const;

/** A custom role that an object can declare. */
export interface CheckedRole {
  readonly resource: DescribedRole;
  readonly capabilities: readonly string[];
  /** The capabilities that no built-in role has which the Tenant lists: the operator does not count those of other roles that objects manage. */
  readonly excess: readonly string[];
  /** An identity that has the role, and that the Tenant may not use: the operator adopts no role of such an identity. */
  readonly foreign: string | undefined;
}

/**
 * The custom roles of a tree, ordered by uid, without those of protected identities, which are left out.
 * @param used the roles that objects bind
 */
export function checkRoles(
  { group, roles, rolesElsewhere, roleBindings, roleBindingsElsewhere }: ExistingTree,
  used: readonly RoleReference[],
  protectedIdentities: ProtectedIdentities,
  declarations: Declarations,
): readonly CheckedRole[] {
  const listed = new Set(used.map(({ uid }) => uid).filter(isBuiltIn));
  const permitted = new Set(rolesElsewhere.flatMap(({ uid, capabilities }) => (listed.has(uid) ? capabilities : [])));
  const holders = Map.groupBy([...roleBindings, ...roleBindingsElsewhere], ({ role }) => role.uid);
  return roles
    .toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
    .flatMap((resource) => {
      const { uid, name } = resource;
      const held = (holders.get(uid) ?? []).map(({ identity }) => identity.uid);
      const heldBy = (protection: Protection) =>
        held.find((one) => protectedIdentities.protectionOf(one) === protection);
      for (const protection of ["credential", "emergency"] as const) {
        const identity = heldBy(protection);
        if (identity === undefined) continue;
        const reason = `identity ${identity}, ${protections[protection]}, has it`;
        declarations.except({ noun: roleKind.noun, uid, name, outcome: "left out", reason });
        return [];
      }
      const capabilities = [...new Set(resource.capabilities)].toSorted();
      const excess = capabilities.filter((capability) => !permitted.has(capability));
      const foreign = held.find((one) => !isBelow(one, group.uid)) ?? heldBy("otherOwner") ?? heldBy("unseen");
      return [{ resource, capabilities, excess, foreign }];
    });
}

/**
 * Declares the roles that the Tenant permits by what they allow, so that it need not list them.
 * @returns the uids of those that it permits for that reason
 */
export function declarePermittedRoles(
  roles: readonly CheckedRole[],
  declarations: Declarations,
  options: ImportOptions,
): ReadonlySet<string> {
  const permitted = roles.filter(({ excess }) => excess.length === 0);
  for (const role of permitted) declare(role, true, declarations, options);
  const { name } = roleKind;
  const uids = permitted
    .map(({ resource }) => resource.uid)
    .filter((uid) => declarations.objectOf(name, uid) !== undefined);
  // Whoever adopts an identity may bind all of its roles: those that are managed, and those that the Tenant lists.
  return new Set(options.adopt ? uids.filter((uid) => declarations.adopts(name, uid)) : uids);
}

/** Declares the other roles. They are not managed. What they allow is permitted if the Tenant lists them, which it does if they are bound. */
export function declareOtherRoles(
  roles: readonly CheckedRole[],
  limits: TenantLimits,
  declarations: Declarations,
  options: ImportOptions,
): void {
  for (const role of roles)
    if (role.excess.length > 0) declare(role, limits.permitsRole(role.resource), declarations, options);
}

function declare(
  { resource, capabilities, excess, foreign }: CheckedRole,
  isPermitted: boolean,
  declarations: Declarations,
  options: ImportOptions,
): void {
  const obstacles =
    foreign === undefined
      ? []
      : [`identity ${foreign} has it, which is outside of the group, of another owner, or hidden from you`];
  declareResource(
    {
      kind: roleKind,
      resource,
      fields: isPermitted ? { capabilities } : {},
      missing: isPermitted ? [] : [`spec.capabilities: ${beyond(excess)}`],
      obstacles: isPermitted && excess.length > 0 ? [beyond(excess), ...obstacles] : obstacles,
    },
    declarations,
    options,
  );
}

function beyond(excess: readonly string[]): string {
  return `no built-in role that the Tenant lists has ${shortList(excess, named)}`;
}
