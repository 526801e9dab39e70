import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { parentField } from "#src/kinds/parent-reference.ts";
import type { ReferenceField } from "#src/kinds/reference-field.ts";

// The objects above an object, as the references to their parents say now.

/** The objects that can be parents. */
interface Parents {
  readonly kinds: readonly Kind[];
  /** The custom resource at `namespace/name`. */
  readonly find: (kind: string, key: string) => Resource | undefined;
}

/** More levels than uids have. */
const maxLevels = 64;

/**
 * Whether the object, and each one above it, recorded the parent that its reference resolves to now, and none of them is being
 * deleted. Its own status may not say so yet, and what is created must not depend on which object is reconciled first.
 */
export function isBelowPresentParent(object: Resource, objects: Parents): boolean {
  let current = object;
  for (let level = 0; level < maxLevels; level += 1) {
    const target = parentFieldOf(current, objects)?.target;
    if (target === undefined) return true;
    if (target.by === "uid") return current.status?.parentUid === target.uid;
    const above = parentObject(current, objects);
    if (above?.status?.uid === undefined || above.metadata.deletionTimestamp !== undefined) return false;
    if (above.status.uid !== current.status?.parentUid) return false;
    current = above;
  }
  return false;
}

/**
 * Why the object can never exist: it is its own parent, perhaps by way of others.
 * @param mayName whether the objects of another namespace may be named to the author of this one
 */
export function findCycle(
  object: Resource,
  objects: Parents,
  mayName: (namespace: string) => boolean,
): string | undefined {
  const path = [object];
  let current = parentObject(object, objects);
  while (current !== undefined && current !== object && path.length < maxLevels) {
    if (nodeOf(current) === nodeOf(object)) break;
    // A cycle further up, without this object: the objects in it report it.
    if (path.includes(current)) return undefined;
    path.push(current);
    current = parentObject(current, objects);
  }
  if (current === undefined || nodeOf(current) !== nodeOf(object)) return undefined;
  const { kind, metadata } = object;
  if (path.length === 1)
    return `${kind} ${metadata.name} is its own parent. Delete it, and create it with another parent: the field is immutable.`;
  const names = [...path, object].map((one) => {
    const { name, namespace = "" } = one.metadata;
    if (namespace === metadata.namespace) return name;
    return mayName(namespace) ? `${namespace}/${name}` : "an object of another Tenant";
  });
  return `${kind} ${metadata.name} is its own ancestor: ${names.join(", whose parent is ")}. Delete one of these objects, and create it with another parent: the field is immutable.`;
}

function parentObject(object: Resource, objects: Parents): Resource | undefined {
  const target = parentFieldOf(object, objects)?.target;
  if (target?.by !== "resource") return undefined;
  const { namespace = object.metadata.namespace ?? "", name } = target.reference;
  return objects.find(target.kind, `${namespace}/${name}`);
}

function parentFieldOf(object: Resource, { kinds }: Parents): ReferenceField | undefined {
  const kind = kinds.find(({ name }) => name === object.kind);
  return kind === undefined ? undefined : parentField(kind, object);
}

function nodeOf({ kind, metadata }: Resource): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}
