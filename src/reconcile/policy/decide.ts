import { decideDeletion } from "./deletion.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { decidePresence } from "./presence.ts";
import type { Step } from "./step.ts";

/**
 * The whole policy of reconciliation, for every kind: from what is observed to the one next step.
 *
 * Expected flow of a creation: `lookUp` (shared, mostly done already) → `addFinalizer` → `create` → `writeStatus` →
 * `done`. Of an edit: `update` → `writeStatus` → `done`. Of a deletion: `readDefinition` (shared) → `delete` →
 * `releaseFinalizer`.
 *
 * Guarantees: pure; nothing is created before its absence is known, changed before it is known to be ours, or let go
 * before it is gone. There is no path for "first time", "retry" or "recovery": these are observations.
 *
 * Assumes that each step's result has been observed before the next decision.
 */
export function decide(observed: Observed): Step {
  return observed.resource.metadata.deletionTimestamp === undefined
    ? decidePresence(observed)
    : decideDeletion(observed);
}
