import type { DecisionInput } from "./decision-input.ts";
import { equalsRecord, issuesCode } from "./issued.ts";
import { carriedMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import * as tenancyMessages from "./tenancy-messages.ts";
import { type Problem, stalled } from "./outcome.ts";

// What the Tenant of an object's namespace says. Each check is named after the problem that it finds.

/** Not exactly one Tenant governs the object. */
export function findUngoverned({ tenant }: DecisionInput): Problem | undefined {
  switch (tenant.is) {
    case "none":
      return stalled("NoTenant", tenancyMessages.noTenant());
    case "several":
      return stalled("Overlap", tenancyMessages.overlap());
    case "known":
      return undefined;
  }
}

/** The Tenant only completes deletions: it is being deleted, or no longer selects the namespace. */
export function findOnlyDeletions({ tenant }: DecisionInput): Problem | undefined {
  return tenant.is === "known" && tenant.serves === "deletions"
    ? stalled("NoTenant", tenancyMessages.servesDeletions(tenant.name))
    : undefined;
}

/** The resource lies outside of the Tenant's groups: the Tenant was narrowed after the resource was recorded. */
export function findOutsideTenant({ tenant, kind }: DecisionInput, uid: string): Problem | undefined {
  if (tenant.is === "known" && tenant.groups.some((group) => kind.collection.uids.isBelow(uid, group)))
    return undefined;
  return stalled("TenantDenied", tenancyMessages.outsideTenant(tenantName(tenant), kind.noun));
}

/**
 * The resource must not be deleted, or released, because it lies outside of the Tenant's groups. What the object created in
 * a group that another Tenant granted goes with the object also after the grant was revoked. A forged status must not be
 * enough for that: the resource carries the marker of the object, it is a grant to an identity of this Tenant, or it has a
 * code and what the status and the spec, which cannot be changed, say of it; or this process created it.
 * @param found the resource, once it is known.
 */
export function findEndingDenied(observed: DecisionInput, uid: string, found?: ExternalResource): Problem | undefined {
  const outside = findOutsideTenant(observed, uid);
  const { tenant, kind, resource, state } = observed;
  if (outside === undefined || tenant.is !== "known" || !tenant.parentIsForeign) return outside;
  if (state.issued?.uid === uid || state.posted?.created?.uid === uid) return undefined;
  const { status } = resource;
  const isRecorded = status?.uid === uid && status.parentUid === kind.collection.uids.parentOf(uid);
  if (isRecorded && (found === undefined || isProvenOurs(observed, tenant, found))) return undefined;
  return stalled("TenantDenied", tenancyMessages.grantRevoked(kind.noun, resource.metadata.namespace ?? ""));
}

/** Whether more than the status says that `found`, which it records, is the object's. */
function isProvenOurs(
  observed: DecisionInput,
  { groups }: Extract<DecisionInput["tenant"], { is: "known" }>,
  found: ExternalResource,
): boolean {
  if (issuesCode(observed)) return equalsRecord(observed, found);
  const { kind, markers } = observed;
  if (kind.hasMarker) return markers.includes(carriedMarker(found) ?? "");
  const identity = kind.identityOf(found);
  return identity !== undefined && groups.some((group) => kind.collection.uids.isBelow(identity, group));
}

/** The Tenant does not allow existing resources of this kind to be adopted. */
export function findAdoptionDenied({ tenant, kind }: DecisionInput): Problem | undefined {
  return tenant.is === "known" && tenant.mayAdopt
    ? undefined
    : stalled("TenantDenied", tenancyMessages.adoptionDenied(tenantName(tenant), kind.name, kind.noun));
}

/** The Tenant does not allow resources to be left behind on the platform. */
export function findOrphanDenied({ tenant, kind }: DecisionInput, field: string): Problem | undefined {
  return tenant.is === "known" && tenant.mayOrphan
    ? undefined
    : stalled("TenantDenied", tenancyMessages.orphanDenied(tenantName(tenant), kind.noun, field));
}

/** Undefined if not exactly one Tenant governs the object. */
export function tenantName(tenant: DecisionInput["tenant"]): string | undefined {
  return tenant.is === "known" ? tenant.name : undefined;
}
