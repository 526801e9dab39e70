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
