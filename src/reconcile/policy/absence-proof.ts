import type { MonotonicTime, ScopeSnapshot } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";

// When the lists that were made prove an absence. Which step is missing, and why it takes a proof, is in `absence.ts`.

/** What a list must satisfy so that a resource that it lacks is absent. */
interface ListRequirement {
  readonly startedAfter: MonotonicTime;
  readonly stable: boolean;
}

/** Whether the object's resource is proven to be absent everywhere that the operator may look. */
export function isAbsentBelowRoots(observed: DecisionInput): boolean {
  const requirement = requirementOf(observed);
  return (
    observed.now >= requirement.startedAfter && observed.rootSnapshots.every((scope) => proves(scope, requirement))
  );
}

/** Whether the last list of the group satisfies the requirement. */
export function proves({ snapshot }: ScopeSnapshot, { startedAfter, stable }: ListRequirement): boolean {
  return snapshot !== null && snapshot.startedAt >= startedAfter && (snapshot.stable || !stable);
}

/** A list must start after each time at which a resource that we have not seen can have come into existence. */
export function requirementOf(observed: DecisionInput): ListRequirement {
  const { settledAt, postUnknownSince, resource, state } = observed;
  const times = [
    // The previous leader may have had a POST in flight when it lost the lease.
    settledAt,
    ...unseenSince(observed),
    // A person may have created the resource to be adopted, or observed, just before the object or its latest edit.
    ...(resource.spec.policy.adoption === "IfExists" || resource.spec.policy.management === "Observe"
      ? [state.specSeenAt]
      : []),
  ];
  return { startedAfter: Math.max(...times), stable: postUnknownSince !== null };
}

/** The times since which there is, or may be, a resource that no list of the session has shown yet. */
export function unseenSince(observed: DecisionInput): readonly MonotonicTime[] {
  const { postUnknownSince, settleMs, createdElsewhereAt } = observed;
  const existsAt = alreadyExistsAt(observed);
  return [
    // A POST of this process may still take effect.
    ...(postUnknownSince === null ? [] : [postUnknownSince + settleMs]),
    ...(createdElsewhereAt === null ? [] : [createdElsewhereAt]),
    ...(existsAt === undefined ? [] : [existsAt]),
  ];
}

/** When the platform rejected the last call with ALREADY_EXISTS: a resource exists that no list has shown yet. */
function alreadyExistsAt({ state: { failure } }: DecisionInput): MonotonicTime | undefined {
  return failure?.problem.kind === "rejected" && failure.problem.error.code === "ALREADY_EXISTS"
    ? failure.at
    : undefined;
}
