import type { Reference } from "#src/api/reference.ts";
import type { ReferenceField } from "./kind.ts";

/** Returns the reference to the parent group, by name or by uid. The schema guarantees that exactly one of them is set. */
export function parentReference(
  refPath: string,
  reference: Reference | undefined,
  uidPath: string,
  uid: string | undefined,
): ReferenceField {
  return reference === undefined
    ? { role: "parent", path: uidPath, target: { by: "uid", uid: uid ?? "" } }
    : { role: "parent", path: refPath, target: { by: "resource", kind: "Group", reference } };
}
