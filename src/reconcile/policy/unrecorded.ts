import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import { hasFinalizer } from "./object.ts";
import { isNeverAdopted, managedUid } from "./ownership.ts";

// What may exist on the platform because of an object, although its status records no uid.

/**
 * The resource of this object although its uid was never recorded. A marker identifies it. A role binding without one is
 * ours only if it is what this process, or perhaps an earlier one, created; what may not be taken over is neither.
 */
export function unrecordedMatch(observed: DecisionInput): ExternalResource | undefined {
  const { matches, resource, kind, state, createdHere } = observed;
  const first = matches.find(({ uid }) => createdHere.includes(uid)) ?? matches[0];
  if (kind.hasMarker) return first;
  if (state.posted !== undefined)
    return matches.find((match) => kind.collection.naturalKeyOf(match) === state.posted?.naturalKey);
  // An object with spec.uid never creates, and an object that was not seen to be created may have, before a restart.
  if (first === undefined || isNeverAdopted(observed, first.uid)) return undefined;
  return state.bornHere || resource.spec.uid !== undefined ? undefined : first;
}

/** Whether the finalizer guards nothing: nothing exists because of this object, and no POST of it can still take effect. */
export function guardsNothing(observed: DecisionInput): boolean {
  const { resource, state, tenant, now, settledAt } = observed;
  if (!hasFinalizer(resource) || managedUid(observed) !== undefined || state.posted !== undefined) return false;
  if (unrecordedMatch(observed) !== undefined) return false;
  return state.bornHere || (tenant.is !== "known" && now >= settledAt);
}
