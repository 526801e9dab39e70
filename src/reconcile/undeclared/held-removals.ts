import { createHash } from "node:crypto";
import { type BreakerLimits, opensBreaker } from "#src/reconcile/policy/breaker.ts";

/** Removals that wait until a person sets the annotation `iam.muster.dev/confirm` of the Tenant to `id`. */
export interface HeldRemovals {
  readonly id: string;
  readonly uids: ReadonlySet<string>;
}

export interface AssessedRemovals {
  readonly tenant: string;
  /** The uids of what would be removed. */
  readonly due: readonly string[];
  /** How many resources are managed or spared. */
  readonly others: number;
  readonly limits: BreakerLimits;
  /** What was held after the resync before. */
  readonly before: HeldRemovals | null;
  /** What the annotation of the Tenant says. */
  readonly confirmation: string | undefined;
}

/** The removals of a Tenant, if there are too many of them at once; null if they may be made. */
export function heldRemovals(assessed: AssessedRemovals): HeldRemovals | null {
  const { tenant, due, others, limits, before, confirmation } = assessed;
  if (!opensBreaker(due.length, due.length + others, limits)) return null;
  // What is left of a confirmed removal needs no other confirmation.
  if (before !== null && before.id === confirmation && due.every((uid) => before.uids.has(uid))) return before;
  const id = createHash("sha256")
    .update([tenant, ...due.toSorted()].join("\n"))
    .digest("hex")
    .slice(0, 16);
  return { id, uids: new Set(due) };
}
