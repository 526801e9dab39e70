import type { Failure, MonotonicTime, Observed } from "#src/reconcile/observe/observed.ts";
import type { PlatformStep } from "./step.ts";

// Whether a platform call failed a moment ago, and what it was an attempt at.

/** When `step` is to be tried again; undefined if it did not fail in this attempt, or may be tried now. */
export function retryOf(observed: Observed, step: PlatformStep["do"]): MonotonicTime | undefined {
  const { failure } = observed.state;
  return failure === undefined ||
    failure.step !== step ||
    failure.attemptOf !== attemptOf(observed) ||
    outageEnded(failure, observed) ||
    observed.now >= failure.retryAt
    ? undefined
    : failure.retryAt;
}

function outageEnded({ recoveries }: Failure, observed: Observed): boolean {
  return recoveries !== undefined && recoveries !== observed.recoveries;
}

/** Identifies what is being attempted. A failure of another attempt does not delay this one. */
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
