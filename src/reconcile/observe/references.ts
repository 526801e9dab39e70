import type { Resource } from "#src/api/custom-resource.ts";
import type { DesiredContext, Kind } from "#src/kinds/kind.ts";
import type { ReferenceField, ReferencePurpose } from "#src/kinds/reference-field.ts";
import { referredKinds } from "#src/kinds/referred-kinds.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { findBuiltInRole, orBuiltInRole } from "./built-in-role-reference.ts";
import type { References } from "./observed.ts";
import { findReferenceDenial, findSpecDenial, permitsUid } from "./reference-denials.ts";
import { type Found, type ReferencedObjects, findByUid, findObject } from "./referenced-objects.ts";
import type { TenantLimits } from "./reference-denials.ts";

/** Everything that references are resolved from. */
export interface ReferenceContext extends ReferencedObjects, TenantLimits, DesiredContext {
  readonly marker: string;
}

/**
 * Resolves the references in a spec, and checks that its Tenant permits what the spec says and refers to. The first problem
 * counts.
 */
export function resolveReferences(kind: Kind, resource: Resource, context: ReferenceContext): References {
  const denied = findSpecDenial(kind, resource, context);
  if (denied !== undefined) return denied;
  const uids: Partial<Record<ReferencePurpose, string>> = {};
  const granted: string[] = [];
  for (const field of kind.references(resource)) {
    const found = find(kind, field, resource, context);
    if ("are" in found) return found;
    if (found.through === "grant") granted.push(found.uid);
    const denial = findReferenceDenial(field, found, context);
    if (denial !== undefined) return denial;
    uids[field.purpose] = found.uid;
  }
  return {
    are: "resolved",
    uids,
    granted,
    desired: kind.desired(resource, uids, context),
    naturalKey: kind.identification.naturalKey(uids, context.marker),
  };
}

function find(kind: Kind, field: ReferenceField, resource: Resource, context: ReferenceContext): Found {
  const { target } = field;
  switch (target.by) {
    case "uid": {
      const limits: Found = { uid: target.uid, through: "limits" };
      if (permitsUid(field.purpose, target.uid, context)) return limits;
      // Whether a built-in role may be bound depends on its name, and the role of an object on the roles that the Tenant lists.
      if (field.purpose === "role" && context.roles === undefined) return { are: "unread" };
      const named = { kind: referredKinds[field.purpose], uid: target.uid };
      // No object has a built-in role, whatever its status says.
      const mayBeOfObject =
        kind.refersTo.includes(named.kind) && (field.purpose !== "role" || parentOf(target.uid) !== undefined);
      const found = mayBeOfObject ? findByUid(field, named, resource, context) : undefined;
      return found ?? limits;
    }
    case "roleName":
      return findBuiltInRole(kind, field, target.name, resource, context);
    case "resource": {
      // Whether the role of an object may be bound depends on the roles that the Tenant lists.
      if (field.purpose === "role" && context.roles === undefined) return { are: "unread" };
      const found = findObject(field, target.kind, target.reference, resource, context);
      return field.purpose === "role" ? orBuiltInRole(found, field, target.reference.name, context) : found;
    }
  }
}
