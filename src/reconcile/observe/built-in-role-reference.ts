import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ReferenceField } from "#src/kinds/reference-field.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import { type FoundReference, type ReferencedObjects, unresolved } from "./referenced-objects.ts";

export interface BuiltInRoles extends Pick<ReferencedObjects, "find"> {
  /** Undefined until they were read. */
  readonly roles: RoleCatalog | undefined;
  readonly boundary: Pick<Boundary, "roles">;
}

/** Finds the built-in role that a reference names. */
export function findBuiltInRole(
  kind: Kind,
  field: ReferenceField,
  name: string,
  referrer: Resource,
  { find, roles, boundary }: BuiltInRoles,
): FoundReference {
  if (roles === undefined) return { are: "unread" };
  const role = roles.byName.get(name);
  if (role !== undefined) return { uid: role.uid, through: "limits" };
  // The roles that may be bound are public here; the others are not named.
  const known = boundary.roles.filter((one) => roles.byName.has(one));
  const right = known.length === 0 ? "another role; the Tenant allows none yet" : `one of ${known.join(", ")}`;
  const isObject =
    kind.refersTo.includes("Role") && find("Role", `${referrer.metadata.namespace}/${name}`) !== undefined;
  const forObject = isObject ? `${field.path}.kind: Role, which names the Role object ${name}, or with ` : "";
  const fix = field.isMutable
    ? `Set it to ${right}`
    : `The field is immutable: delete this object and create it with ${forObject}${right}`;
  return unresolved("ReferenceNotFound", `${field.path}: the platform has no built-in role named "${name}". ${fix}.`);
}

/** What was found of a Role object with this name; where there is none, with the fix if a built-in role was meant. */
export function orBuiltInRole(
  found: FoundReference,
  { path }: ReferenceField,
  name: string,
  { roles, boundary }: Pick<BuiltInRoles, "roles" | "boundary">,
): FoundReference {
  if (!("are" in found) || found.are !== "waiting" || found.reason !== "ReferenceNotFound") return found;
  if (roles?.byName.has(name) !== true || !boundary.roles.includes(name)) return found;
  const fix = `If you mean the built-in role ${name}, create it with only ${path}.name, without kind.`;
  return { ...found, message: `${found.message} ${fix}` };
}
