import type { Kind } from "#src/kinds/kind.ts";
import { markerOf } from "#src/kinds/marker.ts";
import type { ResolvedUids } from "#src/kinds/reference-field.ts";
import { grantOf } from "#src/platform-client/grant.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { CachedResource } from "./cached-resource.ts";
import { ends, recordedUid, rivalsOf } from "./claims.ts";
import { findingOf } from "./finding.ts";
import { mayWant } from "./may-want.ts";
import { referencesOf } from "./references.ts";
import type { Sources } from "./sources.ts";

/**
 * Those of `found`, which `self` ends and does not record, that other objects want: see `Observed.wantedByOthers`. A resource
 * without a marker does not show for which object it was created. The object that wants it may have been about to record it,
 * and would be Ready with nothing on the platform if another object deleted it.
 * @param has whether the recorded resource of an object is what it wants.
 */
export function wantedByOthers(
  sources: Sources,
  { session }: TenantContext,
  kind: Kind,
  self: CachedResource,
  found: readonly ExternalResource[],
  has: (other: CachedResource) => boolean,
): readonly string[] {
  if (!findingOf(kind).areEqualsDoubtful || !ends(self, sources.clock.now())) return [];
  const lookup = { storeOf: (one: string) => sources.stores.get(one), roles: session.roles };
  const own = recordedUid(self);
  return found.flatMap((external) => {
    if (external.uid === own) return [];
    const rivals = [...rivalsOf(kind, self, uidsOf(kind, external), lookup)];
    // Who has another one already keeps the others from it.
    if (rivals.some((other) => has(other) && !ends(other, sources.clock.now()))) return [];
    return rivals.some((other) => isToHave(sources, kind, other, external)) ? [external.uid] : [];
  });
}

function uidsOf({ collection }: Kind, external: ExternalResource): ResolvedUids {
  const parent = collection.uids.parentOf(external.uid);
  const grant = grantOf(external);
  return {
    ...(parent === undefined ? {} : { parent }),
    ...(grant === undefined ? {} : { identity: grant.identity.uid, role: grant.role.uid }),
  };
}

/** Whether the object takes `external` as soon as it is looked at: nothing that it refers to keeps it waiting. */
function isToHave(sources: Sources, kind: Kind, cached: CachedResource, external: ExternalResource): boolean {
  const { uid } = cached.resource.spec;
  // An object with spec.uid takes no other resource.
  if (uid !== undefined && uid !== external.uid) return false;
  if (ends(cached, sources.clock.now()) || !mayWant(sources, kind, cached, uid)) return false;
  const governance = sources.tenancy.governanceOf(cached.resource);
  if (governance.by !== "tenant") return false;
  const marker = markerOf(sources.owners[0], cached.objectHash);
  const references = referencesOf(sources, governance.context, kind, cached.resource, marker);
  if (references.are === "unread") return true;
  return references.are === "resolved" && findingOf(kind).takes(kind, references, external);
}
