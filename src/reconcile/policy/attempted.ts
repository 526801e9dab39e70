import type { Failure, MonotonicTime, Observed } from "#src/reconcile/observe/observed.ts";
import type { PlatformStep } from "./step.ts";

// Whether a step failed in the present attempt. How long it then waits is decided in `retry.ts`.

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

/** Identifies what is being attempted, and with which token. A failure of another attempt does not delay this one. */
export function attemptOf(observed: Observed): string {
  return `${observed.credentialEpoch} ${goalOf(observed)}`;
}

/** Whether `attempt`, as from `attemptOf`, was at the same as the present one, with whatever token. */
export function hasSameGoal(attempt: string, observed: Observed): boolean {
  return attempt.slice(attempt.indexOf(" ") + 1) === goalOf(observed);
}

function goalOf({ resource: { metadata, status }, references, request, secret }: Observed): string {
  const uids = references.are === "resolved" ? Object.values(references.uids) : [];
  // The platform may have rejected the value: a corrected Secret is sent at once.
  const version = secret?.is === "found" ? [secret.uid, secret.resourceVersion] : [];
  // Another singleton has the same uid: what failed for the one before it says nothing about this one.
  const singleton = status?.createTime ?? "";
  return [metadata.generation, metadata.deletionTimestamp, request?.value, singleton, ...uids, ...version].join(" ");
}
