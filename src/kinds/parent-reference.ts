import type { Reference } from "#src/api/reference.ts";
import type { ReferenceField } from "./kind.ts";

/** The group that holds a thing, named by a custom resource or by uid; the schema makes sure that it is one of them. */
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
