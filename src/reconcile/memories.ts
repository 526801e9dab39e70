import { statusBounds } from "#src/api/status.ts";
import type { Moment } from "#src/platform-client/collection-view.ts";
import type { PlatformFailure, PlatformFailureKind } from "#src/platform-client/failure.ts";
import { attemptOf } from "./conclude.ts";
import { recentCorrections } from "./fight.ts";
import type { HeldResource } from "./held-resource.ts";
import type { Failure, Memory } from "./memory.ts";
import type { Observed } from "./observed.ts";
import type { PlatformStep, Step } from "./step.ts";
import { troubleOf } from "./trouble.ts";
import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";

const firstRetryMs = 250;
const longestRetryMs = 300_000;
const hourMs = 3_600_000;

/** What the process remembers of each custom resource of one kind, by `namespace/name`. */
export class Memories {
  readonly #memories = new Map<string, Memory>();
  #lastDeletionAt: Moment = Number.NEGATIVE_INFINITY;

  /** When the deletion of one of them was last seen to be asked for; before all moments where none was. */
  get lastDeletionAt(): Moment {
    return this.#lastDeletionAt;
  }

  /** The memory of `held` as it is now; a resource that was deleted and made anew starts afresh. */
  recall(key: string, held: HeldResource, now: Moment, bornHere = false): Memory {
    const { uid = "", annotations, deletionTimestamp } = held.metadata;
    const old = this.#memories.get(key);
    const known: Memory =
      old?.resourceUid === uid ? old : { resourceUid: uid, firstSeenAt: now, bornHere, corrections: [] };
    // What is answered in the status has to fit there.
    const asked = annotations?.[reconcileRequestedAtAnnotation]?.slice(0, statusBounds.text);
    const newlyAsked = asked !== undefined && known.request?.value !== asked;
    const newlyDeleted = deletionTimestamp !== undefined && known.deletionSeenAt === undefined;
    if (newlyDeleted) this.#lastDeletionAt = now;
    if (known === old && !newlyAsked && !newlyDeleted) return known;
    const memory: Memory = {
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
  forgive(key: string): void {
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
    const { waitingSince, failure, ...rest } = observed.memory;
    if (step.do === "wait" && waitingSince === undefined)
      this.#put(key, { ...observed.memory, waitingSince: observed.now });
    if (step.do === "writeStatus") this.#put(key, { ...observed.memory, toldAt: observed.now });
    if (step.do === "done" && (waitingSince !== undefined || failure !== undefined)) this.#put(key, rest);
  }

  afterSuccess(key: string, observed: Observed, step: PlatformStep): void {
    const { failure, ...rest } = observed.memory;
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
    at: Moment,
    random: number,
  ): Failure {
    const attempts = observed.memory.failure?.step === step.do ? observed.memory.failure.attempts + 1 : 1;
    const failure: Failure = {
      step: step.do,
      detail: error.detail,
      attemptOf: attemptOf(observed),
      attempts,
      at,
      retryAt: at + retryDelay(observed, error.detail, attempts, random),
    };
    this.#put(key, { ...observed.memory, failure, waitingSince: observed.memory.waitingSince ?? at });
    return failure;
  }

  /** Its status was refused, because of rights. */
  afterSilence(key: string, observed: Observed, at: Moment): void {
    this.#put(key, { ...observed.memory, silencedAt: at });
  }

  /** What was forgotten while it was worked on stays forgotten. */
  #put(key: string, memory: Memory): void {
    if (this.#memories.get(key)?.resourceUid === memory.resourceUid) this.#memories.set(key, memory);
  }
}

function afterUpdate(observed: Observed, { drift, correction }: Extract<Step, { do: "update" }>) {
  const { now, memory } = observed;
  return {
    update: { attemptOf: attemptOf(observed), drift, at: now },
    corrections: correction ? [...recentCorrections(memory.corrections, now), now] : memory.corrections,
  };
}

function retryDelay(observed: Observed, detail: PlatformFailureKind, attempts: number, random: number): number {
  if (troubleOf(detail, observed.kind).is === "stalled") return hourMs;
  const asked = "retryAfterMs" in detail ? (detail.retryAfterMs ?? 0) : 0;
  const ceiling = Math.min(firstRetryMs * 2 ** (attempts - 1), longestRetryMs);
  // Spread what was asked to wait alike, so that it does not come back all at once.
  return asked + ceiling * random;
}
