import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { References } from "./observed.ts";
import { resolveReferences } from "./references.ts";
import type { Sources } from "./sources.ts";

/** What the references of an object that matches its schema resolve to. */
export function referencesOf(
  {
    kinds,
    stores,
    serviceAccountIssuer,
    publicIssuers,
    tenancy,
  }: Pick<Sources, "kinds" | "stores" | "serviceAccountIssuer" | "publicIssuers" | "tenancy">,
  { name, session, boundary }: TenantContext,
  kind: Kind,
  resource: Resource,
  marker: string,
): References {
  return resolveReferences(kind, resource, {
    kinds,
    find: (kindName, key) => stores.get(kindName).get(key)?.resource,
    isRead: (kindName) => stores.get(kindName).synced,
    tenant: name,
    // As for an object there that was never governed.
    governanceOf: (namespace) =>
      tenancy.governanceOf({
        apiVersion: resource.apiVersion,
        kind: resource.kind,
        metadata: { name: resource.metadata.name, namespace },
        spec: resource.spec,
      }),
    roles: session.roles,
    boundary,
    credentialIdentities: tenancy.credentialIdentities,
    serviceAccountIssuer,
    publicIssuers,
    marker,
  });
}
