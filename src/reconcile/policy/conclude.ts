import type { MonotonicTime } from "#src/platform-client/collection-view.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import type { Outcome } from "./outcome.ts";
import { statusDelayMs } from "./status-delay.ts";
import { onlyRephrases, statusPatch } from "./status.ts";
import type { Event, PlatformStep, Step } from "./step.ts";
import { type Problem, problemOf } from "./platform-problem.ts";

/** The same state in other words is written this much later at the earliest. */
const rephraseMs = 60_000;
const hourMs = 3_600_000;
/** Where nothing may be told, it is tried again so much later. */
const statusForbiddenRetryMs = 60_000;

/**
 * Ends a decision: writes the status if it does not tell `outlook` yet, else waits until `until` (for `stalled` an hour,
 * else for something to change).
 */
export function conclude(observed: Observed, outlook: Outcome, until?: MonotonicTime, event?: Event): Step {
  const { state: memory, now } = observed;
  const patch = statusPatch(observed, outlook);
  if (outlook.is === "waiting" || outlook.is === "failing") {
    const showAt = (memory.waitingSince ?? now) + (outlook.statusDelayMs ?? statusDelayMs);
    const rephraseAt = (memory.statusWrittenAt ?? Number.NEGATIVE_INFINITY) + rephraseMs;
    const rephrases = patch !== undefined && onlyRephrases(observed.resource.status, patch);
    const writeAt = rephrases ? Math.max(showAt, rephraseAt) : showAt;
    if (now < writeAt) return { do: "wait", until: Math.min(until ?? writeAt, writeAt) };
  }
  const silentUntil = (memory.statusForbiddenAt ?? Number.NEGATIVE_INFINITY) + statusForbiddenRetryMs;
  if (patch !== undefined && now < silentUntil)
    return { do: "wait", until: Math.min(until ?? silentUntil, silentUntil) };
  const told = event ?? announcementOf(observed, outlook);
  if (patch !== undefined) return { do: "writeStatus", patch, ...(told === undefined ? {} : { event: told }) };
  if (outlook.is === "ready" || outlook.is === "paused") return { do: "done" };
  return { do: "wait", until: until ?? now + hourMs };
}

/** Transitions that people want to hear of. */
function announcementOf({ resource, kind }: Observed, outlook: Outcome): Event | undefined {
  const ready = resource.status?.conditions?.find((condition) => condition.type === "Ready");
  if (outlook.is === "ready") {
    // Only for what has been Ready before: an ordinary wait on the way there is no trouble to recover from.
    if (ready?.status !== "False" || resource.status?.uid === undefined) return undefined;
    return {
      type: "Normal",
      reason: "Recovered",
      note: `The ${kind.noun} is as the spec says again; before: ${ready.reason}.`,
    };
  }
  if (outlook.is === "paused" || ready?.reason === outlook.reason) return undefined;
  if (outlook.reason === "TenantDenied") return { type: "Warning", reason: "TenantDenied", note: outlook.message };
  if (outlook.reason === "DriftDetected") return { type: "Warning", reason: "DriftDetected", note: outlook.message };
  return undefined;
}

/**
 * A call to the platform, unless the same one has failed and its wait is not over: then the trouble is what there is to
 * tell. A failure of something else that was wanted (an older spec, another parent or credential) counts no more.
 */
export function attempt(observed: Observed, step: PlatformStep): Step {
  const { failure } = observed.state;
  if (
    failure === undefined ||
    failure.step !== step.do ||
    failure.attemptOf !== attemptOf(observed) ||
    observed.now >= failure.retryAt
  )
    return step;
  if (isLook(step) && wasReached(observed)) return { do: "wait", until: failure.retryAt };
  return conclude(observed, problemOf(failure.problem, observed.kind), failure.retryAt);
}

function isLook({ do: step }: PlatformStep): boolean {
  return step === "refreshPermissions" || step === "list" || step === "read";
}

/** Whether the last truth is that all is as the spec says: that we cannot look just now is trouble of ours, not of the resource. */
function wasReached({ resource: { metadata, status } }: Observed): boolean {
  const ready = status?.conditions?.find((condition) => condition.type === "Ready");
  return (
    metadata.deletionTimestamp === undefined &&
    ready?.status === "True" &&
    ready.observedGeneration === metadata.generation
  );
}

/** What is being tried to be made so. */
export function attemptOf({ resource, references, request, credentialEpoch }: Observed): string {
  const uids = references.are === "resolved" ? Object.values(references.uids) : [];
  return [
    resource.metadata.generation,
    resource.metadata.deletionTimestamp,
    request?.value,
    credentialEpoch,
    ...uids,
  ].join(" ");
}

export function stalled(reason: Problem["reason"], message: string): Problem {
  return { is: "stalled", reason, message };
}

export function waiting(reason: Problem["reason"], message: string): Problem {
  return { is: "waiting", reason, message };
}
