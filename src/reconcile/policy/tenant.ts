import type { DecisionInput } from "./decision-input.ts";
import * as messages from "./messages.ts";
import { type Problem, stalled } from "./outcome.ts";

// What the Tenant of an object's namespace says. Each check is named after the problem that it finds.

/** Not exactly one Tenant governs the object. */
export function findUngoverned({ tenant }: DecisionInput): Problem | undefined {
  switch (tenant.is) {
    case "none":
      return stalled("NoTenant", messages.noTenant());
    case "several":
      return stalled("Overlap", messages.overlap());
    case "known":
      return undefined;
  }
}

/** The Tenant only completes deletions: it is being deleted, or no longer selects the namespace. */
export function findOnlyDeletions({ tenant }: DecisionInput): Problem | undefined {
  return tenant.is === "known" && tenant.serves === "deletions"
    ? stalled("NoTenant", messages.servesDeletions())
    : undefined;
}

/** The resource lies outside of the Tenant's groups: the Tenant was narrowed after the resource was recorded. */
export function findOutsideTenant({ tenant, kind }: DecisionInput, uid: string): Problem | undefined {
  if (tenant.is === "known" && tenant.groups.some((group) => kind.collection.uids.isBelow(uid, group)))
    return undefined;
  return stalled("TenantDenied", messages.outsideTenant(kind.noun));
}

/** The Tenant does not allow existing resources of this kind to be adopted. */
export function findAdoptionDenied({ tenant, kind }: DecisionInput): Problem | undefined {
  return tenant.is === "known" && tenant.mayAdopt
    ? undefined
    : stalled("TenantDenied", messages.adoptionDenied(kind.name, kind.noun));
}

/** The Tenant does not allow resources to be left behind on the platform. */
export function findOrphanDenied({ tenant, kind }: DecisionInput, field: string): Problem | undefined {
  return tenant.is === "known" && tenant.mayOrphan
    ? undefined
    : stalled("TenantDenied", messages.orphanDenied(kind.noun, field));
}
