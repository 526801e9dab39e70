import type { RoleReference } from "#src/api/role-reference.ts";
import type { ReferenceField, Target } from "./reference-field.ts";

/** Returns the reference to a role, by name, object or uid. The schema guarantees that exactly one of them is set. */
export function roleReference(
  refPath: string,
  roleRef: RoleReference | undefined,
  uidPath: string,
  uid: string | undefined,
): ReferenceField {
  if (roleRef === undefined) return { purpose: "role", path: uidPath, target: { by: "uid", uid: uid ?? "" } };
  const { kind, ...reference } = roleRef;
  const target: Target =
    kind === undefined ? { by: "roleName", name: reference.name } : { by: "resource", kind, reference };
  return { purpose: "role", path: refPath, target };
}
