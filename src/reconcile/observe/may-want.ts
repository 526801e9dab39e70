import { readyCondition } from "#src/api/condition.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { markerOf } from "#src/kinds/marker.ts";
import type { Governance } from "#src/reconcile/tenancy/tenancy.ts";
import type { CachedResource } from "./cached-resource.ts";
import { isActive } from "./claims.ts";
import type { References } from "./observed.ts";
import { observedTenant } from "./observed-tenant.ts";
import { referencesOf } from "./references.ts";
import { requestedReconcile } from "./requested-reconcile.ts";
import type { Sources } from "./sources.ts";

/**
 * Whether a Tenant permits what the object declares, as far as its references show that. An object that could never have
 * what it wants must not keep others from it: its author may be anybody who may create objects somewhere.
 * @param uid the existing resource that the object wants; undefined if it wants to create one, or to find it.
 */
export function mayWant(sources: Sources, kind: Kind, cached: CachedResource, uid?: string): boolean {
  if (!isActive(cached, sources.clock.now()) || hasGivenUp(kind, cached)) return false;
  const governance = sources.tenancy.governanceOf(cached.resource);
  if (governance.by !== "tenant") return false;
  if (governance.serves === "deletions" && cached.metadata.deletionTimestamp === undefined) return false;
  const marker = markerOf(sources.owners[0], cached.objectHash);
  const references = referencesOf(sources, governance.context, kind, cached.resource, marker);
  if (references.are === "denied" || references.are === "invalid") return false;
  if (references.are === "waiting" && references.reason === "ReferenceNotGranted") return false;
  return uid === undefined || mayAdopt(governance, kind, references, uid);
}

/**
 * Whether the object says that its resource is gone, and is not to be created again or replaced by another one, before somebody
 * edits it or requests a reconcile. What had a code keeps its Secret.
 */
function hasGivenUp(kind: Kind, { resource, metadata }: CachedResource): boolean {
  const ready = readyCondition(resource);
  return (
    kind.identification.createdAgain &&
    ready?.reason === "ExternalGone" &&
    ready.observedGeneration === metadata.generation &&
    requestedReconcile(metadata) === resource.status?.lastHandledReconcileAt
  );
}

/** Whether the object may adopt the resource with this uid, as far as its references show that. */
function mayAdopt(
  governance: Exclude<Governance, { by: "unserved" }>,
  kind: Kind,
  references: References,
  uid: string,
): boolean {
  const tenant = observedTenant(governance, kind, references, false);
  if (tenant.is !== "known" || !tenant.mayAdopt) return false;
  const group = kind.collection.uids.parentOf(uid);
  return (
    tenant.groups.some((one) => kind.collection.uids.isBelow(uid, one)) &&
    (references.are !== "resolved" || references.uids.parent === group)
  );
}
