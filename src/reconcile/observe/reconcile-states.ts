import { statusBounds } from "#src/api/status.ts";
import type { MonotonicTime } from "#src/platform-client/collection-view.ts";
import type { PlatformFailure, PlatformProblem } from "#src/platform-client/failure.ts";
import { attemptOf } from "#src/reconcile/policy/conclude.ts";
import { recentCorrections } from "#src/reconcile/policy/retry.ts";
import type { CachedResource } from "./cached-resource.ts";
import type { Failure, ReconcileState } from "./reconcile-state.ts";
import type { Observed } from "./observed.ts";
import type { PlatformStep, Step } from "#src/reconcile/policy/step.ts";
import { problemOf } from "#src/reconcile/policy/platform-problem.ts";
import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";

const firstRetryMs = 250;
const longestRetryMs = 300_000;
const hourMs = 3_600_000;

/** What the process remembers of each custom resource of one kind, by `namespace/name`. */
export class ReconcileStates {
  readonly #memories = new Map<string, ReconcileState>();
  #lastDeletionAt: MonotonicTime = Number.NEGATIVE_INFINITY;

  /** When the deletion of one of them was last seen to be asked for; before all moments where none was. */
  get lastDeletionAt(): MonotonicTime {
    return this.#lastDeletionAt;
  }

  /** The memory of `held` as it is now; a resource that was deleted and made anew starts afresh. */
  get(key: string, held: CachedResource, now: MonotonicTime, bornHere = false): ReconcileState {
    const { uid = "", annotations, deletionTimestamp } = held.metadata;
    const old = this.#memories.get(key);
    const known: ReconcileState =
      old?.resourceUid === uid ? old : { resourceUid: uid, firstSeenAt: now, bornHere, corrections: [] };
    // What is answered in the status has to fit there.
    const asked = annotations?.[reconcileRequestedAtAnnotation]?.slice(0, statusBounds.text);
    const newlyAsked = asked !== undefined && known.request?.value !== asked;
    const newlyDeleted = deletionTimestamp !== undefined && known.deletionSeenAt === undefined;
    if (newlyDeleted) this.#lastDeletionAt = now;
    if (known === old && !newlyAsked && !newlyDeleted) return known;
    const memory: ReconcileState = {
      ...known,
      ...(newlyAsked ? { request: { value: asked, seenAt: now } } : {}),
      ...(newlyDeleted ? { deletionSeenAt: now } : {}),
    };
    this.#memories.set(key, memory);
    return memory;
  }

  forget(key: string): void {
    this.#memories.delete(key);
  }

  /** What failed is tried again at once: what stood in its way has changed. */
  clearFailure(key: string): void {
    const memory = this.#memories.get(key);
    if (memory?.failure === undefined) return;
    const { failure: _past, ...rest } = memory;
    this.#memories.set(key, rest);
  }

  /** The keys of resources that wait for something. */
  *waiting(): Iterable<string> {
    for (const [key, memory] of this.#memories) if (memory.waitingSince !== undefined) yield key;
  }

  /** What is remembered after a decision: since when the resource waits, or that it waits no more. */
  afterDecision(key: string, observed: Observed, step: Step): void {
    const { waitingSince, failure, ...rest } = observed.state;
    if (step.do === "wait" && waitingSince === undefined)
      this.#put(key, { ...observed.state, waitingSince: observed.now });
    if (step.do === "writeStatus") this.#put(key, { ...observed.state, statusWrittenAt: observed.now });
    if (step.do === "done" && (waitingSince !== undefined || failure !== undefined)) this.#put(key, rest);
  }

  afterSuccess(key: string, observed: Observed, step: PlatformStep): void {
    const { failure, ...rest } = observed.state;
    if (step.do !== "update" && failure?.step !== step.do) return;
    this.#put(key, {
      ...rest,
      ...(failure !== undefined && failure.step !== step.do ? { failure } : {}),
      ...(step.do === "update" ? afterUpdate(observed, step) : {}),
    });
  }

  /** @returns what is remembered of a failed call, with the time of the next attempt: full jitter, doubling. */
  afterFailure(
    key: string,
    observed: Observed,
    step: PlatformStep,
    error: PlatformFailure,
    at: MonotonicTime,
    random: number,
  ): Failure {
    const attempts = observed.state.failure?.step === step.do ? observed.state.failure.attempts + 1 : 1;
    const failure: Failure = {
      step: step.do,
      problem: error.problem,
      attemptOf: attemptOf(observed),
      attempts,
      at,
      retryAt: at + retryDelay(observed, error.problem, attempts, random),
    };
    this.#put(key, { ...observed.state, failure, waitingSince: observed.state.waitingSince ?? at });
    return failure;
  }

  /** Its status was refused, because of rights. */
  afterStatusForbidden(key: string, observed: Observed, at: MonotonicTime): void {
    this.#put(key, { ...observed.state, statusForbiddenAt: at });
  }

  /** What was forgotten while it was worked on stays forgotten. */
  #put(key: string, memory: ReconcileState): void {
    if (this.#memories.get(key)?.resourceUid === memory.resourceUid) this.#memories.set(key, memory);
  }
}

function afterUpdate(observed: Observed, { drift, correction }: Extract<Step, { do: "update" }>) {
  const { now, state: memory } = observed;
  return {
    update: { attemptOf: attemptOf(observed), drift, at: now },
    corrections: correction ? [...recentCorrections(memory.corrections, now), now] : memory.corrections,
  };
}

function retryDelay(observed: Observed, detail: PlatformProblem, attempts: number, random: number): number {
  if (problemOf(detail, observed.kind).is === "stalled") return hourMs;
  const asked = "retryAfterMs" in detail ? (detail.retryAfterMs ?? 0) : 0;
  const ceiling = Math.min(firstRetryMs * 2 ** (attempts - 1), longestRetryMs);
  // Spread what was asked to wait alike, so that it does not come back all at once.
  return asked + ceiling * random;
}
