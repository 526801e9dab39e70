import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { markerOf } from "#src/kinds/marker.ts";
import { type ExternalRoleBinding, roleBindings } from "#src/platform-client/permission-resources.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { type CachedResource, referenceKey, uidKey } from "./cached-resource.ts";
import { isActive } from "./claims.ts";
import { referencesOf } from "./references.ts";
import type { Sources } from "./sources.ts";

export type DeclarationSources = Pick<
  Sources,
  "kinds" | "stores" | "owners" | "serviceAccounts" | "publicIssuers" | "tenancy" | "clock"
>;

/**
 * Those of the role bindings of an identity that objects declare as they are, where the Tenants of these objects permit that.
 * An object that names the identity by its Identity object counts also before that is Ready: what keeps it may be the very
 * question whether these role bindings are declared.
 * @param identity the object that manages the identity. @param uid of the identity.
 * @returns the uids of the role bindings.
 */
export function declaredGrants(
  sources: DeclarationSources,
  identity: Resource,
  uid: string,
  bindings: readonly ExternalRoleBinding[],
): readonly string[] {
  const kind = sources.kinds.find(({ collection }) => collection.name === roleBindings.name);
  if (kind === undefined || bindings.length === 0) return [];
  const store = sources.stores.get(kind.name);
  const { namespace = "", name } = identity.metadata;
  const objects = new Set([
    ...store.index("refersTo", referenceKey(identity.kind, namespace, name)),
    ...store.index("refersToUid", uidKey(identity.kind, uid)),
    ...bindings.flatMap((binding) => store.index("claims", binding.uid)),
  ]);
  const ready = asReady(identity, uid);
  const keys = new Set(Array.from(objects, (cached) => declaredKey(sources, kind, cached, ready)));
  return bindings.filter((binding) => keys.has(kind.collection.naturalKeyOf(binding))).map((binding) => binding.uid);
}

/** The natural key of the role binding that an object declares, and that its Tenant permits; undefined if there is none. */
function declaredKey(
  sources: DeclarationSources,
  kind: Kind,
  cached: CachedResource,
  identity: Resource,
): string | undefined {
  const { resource, metadata, objectHash } = cached;
  if (metadata.deletionTimestamp !== undefined || !isActive(cached, sources.clock.now())) return undefined;
  const governance = sources.tenancy.governanceOf(resource);
  if (governance.by !== "tenant" || governance.serves !== "everything") return undefined;
  const marker = markerOf(sources.owners[0], objectHash);
  const references = referencesOf(sources, governance.context, kind, resource, marker, identity);
  return references.are === "resolved" ? references.naturalKey : undefined;
}

/** The object as it will be once it is Ready with the identity. */
function asReady({ status, ...resource }: Resource, uid: string): Resource {
  const { generation: observedGeneration = 0 } = resource.metadata;
  const parentUid = parentOf(uid);
  return {
    ...resource,
    status: {
      ...status,
      observedGeneration,
      uid,
      ...(parentUid === undefined ? {} : { parentUid }),
      conditions: [
        { type: "Ready", status: "True", reason: "Available", message: "", observedGeneration, lastTransitionTime: "" },
      ],
    },
  };
}
