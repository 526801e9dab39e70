import type { Reference } from "#src/api/reference.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "./kind.ts";
import type { ReferenceField } from "./reference-field.ts";

/** Returns the reference to the parent group, by name or by uid. The schema guarantees that exactly one of them is set. */
export function parentReference(
  refPath: string,
  reference: Reference | undefined,
  uidPath: string,
  uid: string | undefined,
): ReferenceField {
  return reference === undefined
    ? { purpose: "parent", path: uidPath, target: { by: "uid", uid: uid ?? "" } }
    : { purpose: "parent", path: refPath, target: { by: "resource", kind: "Group", reference } };
}

/** The field of the spec that names the group of the resource; undefined for an object that observes a root group. */
export function parentField(kind: Kind, resource: Resource): ReferenceField | undefined {
  return kind.references(resource).find(({ purpose }) => purpose === "parent");
}
