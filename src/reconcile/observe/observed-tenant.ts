import type { Kind } from "#src/kinds/kind.ts";
import type { Governance } from "#src/reconcile/tenancy/tenancy.ts";
import type { ObservedTenant, References } from "./observed.ts";

/** What an observation says of the Tenant of an object. */
export function observedTenant(
  governance: Exclude<Governance, { by: "unserved" }>,
  { name: kind }: Kind,
  references: References,
  parentIsForeign: boolean,
): ObservedTenant {
  switch (governance.by) {
    case "none":
      return { is: "none" };
    case "several":
      return { is: "several", names: governance.tenants };
    case "tenant": {
      const { name, boundary } = governance.context;
      // In a group that another Tenant granted, an object may create resources, but not take over those of others.
      const parent = references.are === "resolved" ? references.uids.parent : undefined;
      const granted = references.are === "resolved" ? references.granted.filter((uid) => uid === parent) : [];
      return {
        is: "known",
        name,
        serves: governance.serves,
        groups: [...boundary.groups, ...granted],
        parentIsForeign,
        mayAdopt: boundary.adopt.includes(kind) && granted.length === 0,
        mayOrphan: boundary.allowOrphan,
      };
    }
  }
}
