import { readyCondition } from "#src/api/condition.ts";
import type { MonotonicTime } from "#src/reconcile/observe/observed.ts";
import { hours, minutes, seconds } from "#src/time/durations.ts";
import type { DecisionInput } from "./decision-input.ts";
import { identificationOf } from "./identification-of.ts";
import * as messages from "./messages.ts";
import { openAccessEvent } from "./open-access.ts";
import type { Outcome, Problem } from "./outcome.ts";
import { delayingRefusal } from "./refusal.ts";
import { onlyRephrases, statusPatch } from "./status.ts";
import type { Event, Step } from "./step.ts";
import { undeclaredEvent } from "./undeclared.ts";

/** A problem that resolves by itself is reported once it has lasted this long: most do not, and status writes are costly. */
export const statusDelayMs = seconds(2);
/** A wait that the deletion of other objects causes is reported after this time at the latest. */
export const maxStatusDelayMs = minutes(1);
/** A status whose meaning stays the same is rewritten at most once in this time. */
const rephraseIntervalMs = minutes(1);
/** An outcome that is not Ready is checked again after this time, even if no change is observed. */
const recheckMs = hours(1);

/**
 * Ends a decision: the step that writes `outcome` into the status, or, where the status says so already, the wait until
 * `until` (by default an hour). A problem that resolves by itself is written only if it lasts.
 */
export function conclude(observed: DecisionInput, reached: Outcome, until?: MonotonicTime, event?: Event): Step {
  const { state, now } = observed;
  const outcome = withCreated(observed, reached);
  const patch = statusPatch(observed, outcome);
  if (outcome.is === "waiting" || outcome.is === "failing") {
    const reportAt = (state.waitingSince ?? now) + (outcome.statusDelayMs ?? statusDelayMs);
    const rephrases = patch !== undefined && onlyRephrases(observed.resource.status, patch);
    const writeAt =
      rephrases && state.statusWrittenAt !== undefined
        ? Math.max(reportAt, state.statusWrittenAt + rephraseIntervalMs)
        : reportAt;
    if (now < writeAt) return { do: "wait", until: Math.min(until ?? writeAt, writeAt) };
  }
  if (patch !== undefined) {
    const refusal = delayingRefusal(observed, "writeStatus");
    if (refusal !== undefined) return { do: "wait", until: Math.min(until ?? refusal.retryAt, refusal.retryAt) };
    const events = [
      event ?? transitionEvent(observed, outcome),
      undeclaredEvent(observed),
      openAccessEvent(observed, outcome),
    ].filter((one) => one !== undefined);
    return { do: "writeStatus", patch, ...(events.length === 0 ? {} : { events }) };
  }
  if (outcome.is === "ready" || outcome.is === "paused") return { do: "done" };
  return { do: "wait", until: until ?? now + recheckMs };
}

/**
 * The outcome that records what this process created, which the status does not record yet: the next process does not know it,
 * and no Tenant may permit the object by then.
 */
function withCreated(observed: DecisionInput, outcome: Outcome): Outcome {
  if (outcome.is === "ready" || outcome.is === "paused" || outcome.recorded !== undefined) return outcome;
  const recorded = identificationOf(observed).createdToRecord(observed);
  return recorded === undefined ? outcome : { ...outcome, recorded };
}

/** The step that writes `problem` into the status now, because the next step depends on what it records. */
export function recordNow(observed: DecisionInput, problem: Problem): Step {
  const patch = statusPatch(observed, problem);
  return patch === undefined ? { do: "wait", until: observed.now + recheckMs } : { do: "writeStatus", patch };
}

/**
 * How long a wait that the deletion of another object causes must last before it is reported. While deletions keep
 * arriving, the object that is waited for may be the next: the deletion of a whole tree, in any order, costs no such write.
 */
export function statusDelayAmidDeletions({ lastDeletionAt, state, now }: DecisionInput): number {
  if (lastDeletionAt === null) return statusDelayMs;
  const quietAt = lastDeletionAt + statusDelayMs;
  return Math.min(Math.max(quietAt - (state.waitingSince ?? now), statusDelayMs), maxStatusDelayMs);
}

/** The event for a transition that people want to know about. */
function transitionEvent({ resource, kind }: DecisionInput, outcome: Outcome): Event | undefined {
  const ready = readyCondition(resource);
  if (outcome.is === "ready") {
    // An object that has not been Ready before did not recover: it was waiting for its creation.
    if (ready?.status !== "False" || resource.status?.uid === undefined) return undefined;
    return {
      type: "Normal",
      reason: "Recovered",
      note: messages.recovered(kind.noun, ready.reason),
    };
  }
  if (outcome.is === "paused" || ready?.reason === outcome.reason) return undefined;
  if (outcome.reason === "TenantDenied" || outcome.reason === "DriftDetected")
    return { type: "Warning", reason: outcome.reason, note: outcome.message };
  return undefined;
}
