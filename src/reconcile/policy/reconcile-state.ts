import type { Failure, MonotonicTime, Observed, ReconcileState } from "#src/reconcile/observe/observed.ts";
import { attemptOf, recentCorrections } from "./retry.ts";
import type { PlatformStep, Step } from "./step.ts";

// What is remembered of an object, as a function of what was observed and what was done. Each function returns the state
// to remember; it is `observed.state` itself if nothing changes.

/** The state after `step` was decided: since when the object has been waiting, or that it no longer is. */
export function stateAfterDecision({ state, now }: Observed, step: Step): ReconcileState {
  if (step.do === "wait" && state.waitingSince === undefined) return { ...state, waitingSince: now };
  if (step.do === "create") return { ...state, posted: { naturalKey: step.naturalKey } };
  if (step.do === "writeStatus") return { ...state, statusWrittenAt: now };
  if (
    step.do === "done" &&
    (state.waitingSince !== undefined || state.failure !== undefined || state.posted !== undefined)
  ) {
    // The uid of what was created is recorded by now.
    const { waitingSince: _waitingSince, failure: _failure, posted: _posted, ...rest } = state;
    return rest;
  }
  return state;
}

/** The state after a platform call succeeded. The success of one step does not clear the failure of another. */
export function stateAfterSuccess(observed: Observed, step: PlatformStep): ReconcileState {
  const { state, now } = observed;
  const { failure, ...rest } = state;
  const after = failure?.step === step.do ? rest : state;
  if (step.do === "create") return { ...after, posted: { naturalKey: step.naturalKey } };
  if (step.do !== "update") return after;
  return {
    ...after,
    update: { attemptOf: attemptOf(observed), drift: step.drift, at: now },
    corrections: step.correction ? [...recentCorrections(state.corrections, now), now] : state.corrections,
  };
}

/**
 * The state after a platform call failed.
 * @param hadNoEffect whether the failure proves that the call changed nothing.
 */
export function stateAfterFailure(
  { state, references }: Observed,
  failure: Failure,
  hadNoEffect: boolean,
): ReconcileState {
  const posted =
    failure.step === "create" && references.are === "resolved" && !hadNoEffect
      ? { posted: { naturalKey: references.naturalKey } }
      : {};
  return { ...state, ...posted, failure, waitingSince: state.waitingSince ?? failure.at };
}

/** The state after Kubernetes forbade a status write. */
export function stateAfterStatusForbidden({ state }: Observed, at: MonotonicTime): ReconcileState {
  return { ...state, statusForbiddenAt: at };
}
