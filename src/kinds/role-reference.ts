import type { BuiltInRole } from "#src/api/built-in-role.ts";
import type { ReferenceField } from "./kind.ts";

/** Returns the reference to a role, by name or by uid. The schema guarantees that exactly one of them is set. */
export function roleReference(
  refPath: string,
  reference: BuiltInRole | undefined,
  uidPath: string,
  uid: string | undefined,
): ReferenceField {
  return reference === undefined
    ? { role: "role", path: uidPath, target: { by: "uid", uid: uid ?? "" } }
    : { role: "role", path: refPath, target: { by: "roleName", name: reference.name } };
}
