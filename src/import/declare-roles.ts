import { roleKind } from "#src/kinds/role.ts";
import type { Declarations } from "./declarations.ts";
import { declareResource } from "./declare-resource.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import type { Protection, ProtectedIdentities } from "./protected-identities.ts";
import type { TenantLimits } from "./tenant-limits.ts";

/** How many uids or capabilities a reason names. */
const named = 3;

/** Why the role of an identity gets no object: whoever could change it would change what the identity may do. */
const protections = {
  emergency: "which is for emergencies",
  credential: "the credential of an operator",
} as const;

/**
 * Declares the custom roles of a tree. A role is managed only if each of its capabilities is one of a built-in role that the Tenant
 * lists: the operator permits no others, and does not count those of a role that an object manages.
 */
export function declareRoles(
  { roles, rolesElsewhere, roleBindings }: ExistingTree,
  protectedIdentities: ProtectedIdentities,
  limits: TenantLimits,
  declarations: Declarations,
  options: ImportOptions,
): void {
  const permitted = new Set(rolesElsewhere.flatMap((role) => (limits.permitsBuiltIn(role) ? role.capabilities : [])));
  const holders = Map.groupBy(roleBindings, ({ role }) => role.uid);
  for (const resource of roles) {
    const { uid, name } = resource;
    const held = (holders.get(uid) ?? []).map(({ identity }) => identity.uid);
    const heldBy = (protection: Protection) => held.find((one) => protectedIdentities.protectionOf(one) === protection);
    const reason = (["credential", "emergency"] as const).flatMap((protection) => {
      const identity = heldBy(protection);
      return identity === undefined ? [] : [`identity ${identity}, ${protections[protection]}, has it`];
    })[0];
    if (reason !== undefined) {
      declarations.except({ noun: roleKind.noun, uid, name, outcome: "left out", reason });
      continue;
    }
    const unseen = heldBy("unseen");
    const capabilities = [...new Set(resource.capabilities)].toSorted();
    const excess = capabilities.filter((capability) => !permitted.has(capability));
    // The Tenant lists a role that is bound: what it allows is permitted while no object manages it.
    const isPermitted = excess.length === 0 || limits.permitsRole(resource);
    declareResource(
      {
        kind: roleKind,
        resource,
        fields: isPermitted ? { capabilities } : {},
        missing: isPermitted ? [] : [`spec.capabilities: ${beyond(excess)}`],
        obstacles: [
          ...(isPermitted && excess.length > 0 ? [beyond(excess)] : []),
          ...(unseen === undefined
            ? []
            : [`identity ${unseen}, which you may not see, has it: it may be a credential`]),
        ],
      },
      declarations,
      options,
    );
  }
}

function beyond(excess: readonly string[]): string {
  const more = excess.length > named ? ` and ${excess.length - named} more` : "";
  return `no built-in role that the Tenant lists has ${excess.slice(0, named).join(", ")}${more}`;
}
