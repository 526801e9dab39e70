import type { Fields } from "#src/kinds/fields.ts";
import { groupKind } from "#src/kinds/group.ts";
import { identityKind } from "#src/kinds/identity.ts";
import { roleKind } from "#src/kinds/role.ts";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { isBelow, parentOf } from "#src/platform-client/uid.ts";
import type { Declarations } from "./declarations.ts";
import { declaredBy } from "./declare-resource.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import type { Protection, ProtectedIdentities } from "./protected-identities.ts";
import { cannotListMoreRoles, isNamed, type RoleReference, type TenantLimits } from "./tenant-limits.ts";

/** A role binding, and why it gets no object. */
export interface CheckedBinding {
  readonly binding: ExternalRoleBinding;
  /** What it grants, and where. */
  readonly key: string;
  /** Of its object. */
  readonly name: string;
  readonly obstacle: string | undefined;
  /** Whether the import declares it, or its identity, so that the Tenant must permit its role. */
  readonly needsRole: boolean;
}

const obstacles: Readonly<Record<Protection, string | undefined>> = {
  emergency: "its identity is for emergencies, and its role bindings are never adopted",
  credential: "its identity is the credential of an operator, whose role bindings Muster never manages",
  otherOwner: "its identity is another owner's",
  // The operator looks at it before it binds a role.
  unseen: undefined,
};

/**
 * The role bindings of a tree, ordered by uid. Those whose role only somebody else may bind have an obstacle, so that the Tenant need
 * not permit the role to everybody who may write its objects.
 */
export function checkRoleBindings(
  { group, roleBindings }: ExistingTree,
  protectedIdentities: ProtectedIdentities,
  declaredIdentities: ReadonlySet<string>,
  declarations: Declarations,
): readonly CheckedBinding[] {
  const obstacleOf = (identity: string): string | undefined => {
    if (!isBelow(identity, group.uid))
      return `its identity ${identity} is outside of the group, where the Tenant may not use it`;
    const protection = protectedIdentities.protectionOf(identity);
    return protection && obstacles[protection];
  };
  return roleBindings
    .toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
    .map((binding) => {
      const { identity, role, uid } = binding;
      const key = `${parentOf(uid) ?? ""} ${identity.uid} ${role.uid}`;
      const name = declarations.nameOf(roleBindingKind.name, textOf(binding), roleBindingKind.noun, key);
      const declared = declarations.declaredElsewhere(roleBindingKind, binding, name);
      const obstacle = obstacleOf(identity.uid);
      // Whoever adopts an identity must be permitted to bind what it holds.
      const isForeign = declared !== undefined && declaredIdentities.has(identity.uid);
      const needsRole = obstacle === undefined && !isForeign;
      return { binding, key, name, obstacle: declared === undefined ? obstacle : declaredBy(declared), needsRole };
    });
}

function textOf({ identity, role }: ExternalRoleBinding): string {
  return `${identity.name} ${role.name}`.trim();
}

/**
 * Declares role bindings. A role binding is what it grants, and where: its object has no uid, and one object stands for all that
 * are equal.
 */
export function declareRoleBindings(
  bindings: readonly CheckedBinding[],
  limits: TenantLimits,
  declarations: Declarations,
  { adopt }: ImportOptions,
): void {
  const { noun, name: kind } = roleBindingKind;
  const declared = new Map<string, string>();
  for (const { binding, key, name, obstacle } of bindings) {
    const { uid, identity, role } = binding;
    const group = parentOf(uid) ?? "";
    const equal = declared.get(key);
    const reason =
      obstacle ??
      (limits.permitsRole(role) ? undefined : cannotListMoreRoles) ??
      (equal === undefined ? undefined : `it grants the same as ${equal}, and one object stands for both`);
    if (reason !== undefined) {
      declarations.except({ noun, uid, name: textOf(binding), outcome: "left out", reason });
      continue;
    }
    declared.set(key, uid);
    const spec = {
      ...declarations.reference("group", groupKind.name, group),
      ...declarations.reference("identity", identityKind.name, identity.uid),
      ...roleOf(role, declarations),
      ...(adopt ? {} : { policy: { management: "Observe" } }),
    };
    declarations.add(uid, group, { kind, metadata: { name }, spec });
  }
}

function roleOf(role: RoleReference, declarations: Declarations): Fields {
  const name = declarations.objectOf(roleKind.name, role.uid);
  if (name !== undefined) return { roleRef: { kind: roleKind.name, name } };
  return isNamed(role) ? { roleRef: { name: role.name } } : { roleUid: role.uid };
}
