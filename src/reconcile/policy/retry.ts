import { readyCondition } from "#src/api/condition.ts";
import type { Reason } from "#src/api/reason.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { Failure, MonotonicTime, Observed, PlatformProblem } from "#src/reconcile/observe/observed.ts";
import { hours, minutes } from "#src/time/durations.ts";
import { attemptOf, hasSameGoal, retryOf } from "./attempted.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { isBeingDeleted } from "./object.ts";
import { type Concerned, problemOf } from "./platform-problem.ts";
import { type PlatformStep, staysReady, type Step } from "./step.ts";

/**
 * When a platform call is made again.
 *
 * Expected flow: a policy wants a platform step and passes it to `attempt`. The step is returned, unless the same step
 * failed a moment ago in the same attempt; then the failure is reported, and the object waits for its delay to pass.
 *
 * Guarantees: one step backs off with full jitter, doubling from 250 ms to 5 min, or for an hour where only a change can
 * help. A change of what is attempted (the spec, a reference, the credential, a request by a person) ends the delay at
 * once, and the next delay is the shortest again, except after a new token, which is no reason to expect more of the same
 * call. The end of an outage ends the delay, too, if the failure was due to it. A correction of drift is made at most three
 * times an hour.
 */

const firstDelayMs = 250;
const maxDelayMs = minutes(5);
/** How long to wait where only a change can help, in case the change cannot be observed. */
export const stalledDelayMs = hours(1);
/**
 * While calls are suspended, the object waits for the end of the outage. It asks again about this often, so that its status
 * shows the present cause, and so that probes go on.
 */
const suspendedRecheckMs = minutes(1);
const correctionsPerHour = 3;
const hourMs = hours(1);

/** `step`, unless it failed in this attempt and its delay has not passed. Then its failure is what there is to report. */
export function attempt(observed: DecisionInput, step: PlatformStep): Step {
  const { failure } = observed.state;
  if (failure === undefined || retryOf(observed, step.do) === undefined) return step;
  if (staysReady(step.do) && wasReady(observed)) return { do: "wait", until: failure.retryAt };
  return conclude(observed, problemOf(failure.problem, observed), failure.retryAt);
}

/**
 * The failure to remember after `step` failed.
 * @param observed what the step was decided from, but with the credential epoch after the call: the call itself may have
 * exchanged the token, and that change must not end the delay.
 * @param random in [0, 1).
 */
export function failureOf(
  observed: Observed,
  kind: Kind,
  step: PlatformStep,
  problem: PlatformProblem,
  at: MonotonicTime,
  random: number,
): Failure {
  const { failure } = observed.state;
  const isSame = failure !== undefined && hasSameGoal(failure.attemptOf, observed) && repeats(failure, step, problem);
  const earlier = isSame ? failure.attempts : 0;
  const attempts = wasSent(problem) ? earlier + 1 : earlier;
  const object = { ...observed, kind };
  const { reason } = problemOf(problem, object);
  return {
    step: step.do,
    problem,
    attemptOf: attemptOf(observed),
    attempts,
    at,
    retryAt: at + retryDelay(object, problem, attempts, random),
    // A call that a pause prevented says nothing: the object may be waiting for the end of an outage nevertheless.
    ...(outageReasons.has(reason) || problem.kind === "paused" ? { recoveries: observed.recoveries } : {}),
  };
}

/** The reasons of problems that end for all objects together: an outage of the platform or of a credential, or a mismatch. */
const outageReasons: ReadonlySet<Reason> = new Set<Reason>([
  "PlatformUnavailable",
  "TokenUnavailable",
  "TokenExchangeFailed",
  "OwnerMismatch",
]);

/** Whether the platform, or the token service, may have received the call. */
function wasSent({ kind }: PlatformProblem): boolean {
  return kind !== "paused" && kind !== "suspended";
}

/** Whether `step` failed again. The first failure after a token could be exchanged again is not a repetition of the exchange's. */
function repeats(earlier: Failure, { do: step }: PlatformStep, problem: PlatformProblem): boolean {
  if (earlier.step !== step) return false;
  return earlier.problem.kind !== "credential" || problem.kind === "credential";
}

/** When drift may be corrected again; undefined if it may be corrected now. */
export function fightEndsAt({ state, now }: Observed): MonotonicTime | undefined {
  const oldest = recentCorrections(state.corrections, now).at(-correctionsPerHour);
  return oldest === undefined ? undefined : oldest + hourMs;
}

/** The corrections within the last hour. */
export function recentCorrections(corrections: readonly MonotonicTime[], now: MonotonicTime): readonly MonotonicTime[] {
  return corrections.filter((at) => at > now - hourMs);
}

function retryDelay(object: Concerned, problem: PlatformProblem, attempts: number, random: number): number {
  if (problemOf(problem, object).is === "stalled") return stalledDelayMs;
  if (problem.kind === "suspended") return suspendedRecheckMs * (0.5 + random);
  const requestedMs = "retryAfterMs" in problem ? (problem.retryAfterMs ?? 0) : 0;
  const maxMs = Math.min(firstDelayMs * 2 ** Math.max(attempts - 1, 0), maxDelayMs);
  // A delay that the platform requested is spread, too, so that not all requests return at once.
  return requestedMs + maxMs * random;
}

/** Whether the object is reported Ready in its current generation. A read that fails does not change that. */
export function wasReady({ resource }: Observed): boolean {
  const ready = readyCondition(resource);
  return (
    !isBeingDeleted(resource) && ready?.status === "True" && ready.observedGeneration === resource.metadata.generation
  );
}
