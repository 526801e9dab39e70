import type { ReconcileState } from "#src/reconcile/observe/observed.ts";
import { isWrite } from "./step.ts";

/** Fewer objects may have a problem of their own, whose delays have to go on doubling. */
const minObjects = 3;

/**
 * Chooses the object whose write is made next during an outage of writes, to see whether it has ended.
 *
 * An object whose write was not sent comes first: it has no delay of its own, and a problem of other objects must not keep
 * it waiting. Of several, the one that has waited for the longest time is chosen. The others are retried before their
 * delays end only if there are at least three of them.
 */
export function chooseTrial<T extends { readonly state: ReconcileState }>(waiting: Iterable<T>): T | undefined {
  const failed = [...waiting].filter(({ state }) => waitsForWrites(state));
  const suspended = failed.filter(({ state }) => state.failure?.problem.kind === "suspended");
  const eligible = suspended.length > 0 ? suspended : failed.length >= minObjects ? failed : [];
  return eligible.toSorted((a, b) => failedAt(a.state) - failedAt(b.state))[0];
}

/** Whether a write failed for a reason that ends for all objects together. */
function waitsForWrites({ failure }: ReconcileState): boolean {
  return failure?.recoveries !== undefined && isWrite(failure.step);
}

function failedAt({ failure }: ReconcileState): number {
  return failure?.at ?? 0;
}
