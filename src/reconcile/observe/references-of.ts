import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import { governanceIn, type TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { References } from "./observed.ts";
import { capabilitiesOf, isDeclaredRole } from "./declared-roles.ts";
import { objectsWithUid } from "./objects-with-uid.ts";
import { isCredential } from "./operator-identities.ts";
import { resolveReferences } from "./references.ts";
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
    governanceOf: (namespace) => governanceIn(tenancy, resource, namespace),
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
