import type { Resource } from "#src/api/custom-resource.ts";
import type { DesiredContext, Kind } from "#src/kinds/kind.ts";
import type { ReferenceField, ReferencePurpose } from "#src/kinds/reference-field.ts";
import { referredKinds } from "#src/kinds/referred-kinds.ts";
import { keyOf } from "#src/kube/object.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { governanceIn, type TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { findBuiltInRole, orBuiltInRole } from "./built-in-role-reference.ts";
import { capabilitiesOf, isDeclaredRole } from "./declared-roles.ts";
import { objectsWithUid } from "./objects-with-uid.ts";
import type { References } from "./observed.ts";
import { isCredential } from "./operator-identities.ts";
import { findReferenceDenial, findSpecDenial, permitsUid } from "./reference-denials.ts";
import { type FoundReference, type ReferencedObjects, findByUid, findObject } from "./referenced-objects.ts";
import type { TenantLimits } from "./reference-denials.ts";
import type { Sources } from "./sources.ts";
import { uidByMarker } from "./uid-by-marker.ts";

/**
 * What the references of an object that matches its schema resolve to.
 * @param assumed another object, as it is to be taken for now.
 */
export function referencesOf(
  sources: Pick<Sources, "kinds" | "stores" | "owners" | "serviceAccounts" | "publicIssuers" | "tenancy">,
  { name, session, boundary }: TenantContext,
  kind: Kind,
  resource: Resource,
  marker: string,
  assumed?: Resource,
): References {
  const { kinds, stores, serviceAccounts, publicIssuers, tenancy } = sources;
  const asAssumed = (kindName: string, key: string) =>
    assumed?.kind === kindName && keyOf(assumed) === key ? assumed : undefined;
  return resolveReferences(kind, resource, {
    kinds,
    find: (kindName, key) => asAssumed(kindName, key) ?? stores.get(kindName).get(key)?.resource,
    withUid: (kindName, uid) =>
      objectsWithUid(stores.get(kindName), uid).map((one) => asAssumed(kindName, keyOf(one)) ?? one.resource),
    uidByMarker: (kindName, key) => uidByMarker(sources, kindName, key),
    isRead: (kindName) => stores.get(kindName).synced,
    tenant: name,
    governanceOf: (namespace) => governanceIn(tenancy, namespace),
    roles: session.roles,
    boundary,
    isDeclaredRole: (role) => isDeclaredRole(sources, role),
    capabilitiesOf: (role) => capabilitiesOf(sources, role),
    isCredential: (identity) => isCredential(sources, session, identity),
    serviceAccounts,
    publicIssuers,
    marker,
  });
}

/** Everything that references are resolved from. */
export interface ReferenceContext extends ReferencedObjects, TenantLimits, DesiredContext {
  readonly marker: string;
}

/**
 * Resolves the references in a spec, and checks that its Tenant permits what the spec says and refers to. The first problem
 * counts, in this order:
 * 1. what the spec says, whatever it refers to (`findSpecDenial`);
 * 2. for each reference, the parent first: which uid it means and whether that may be used now (`find`, which waits for what is
 *    missing, not read, not Ready or not granted), and then whether the Tenant permits the uid there (`findReferenceDenial`).
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

function find(kind: Kind, field: ReferenceField, resource: Resource, context: ReferenceContext): FoundReference {
  const { target } = field;
  switch (target.by) {
    case "uid": {
      const limits: FoundReference = { uid: target.uid, through: "limits" };
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
