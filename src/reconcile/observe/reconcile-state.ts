import type { Drift } from "#src/api/status.ts";
import type { MonotonicTime } from "#src/platform-client/collection-view.ts";
import type { PlatformProblem } from "#src/platform-client/failure.ts";
import type { PlatformStep } from "#src/reconcile/policy/step.ts";

/**
 * What the process remembers of one custom resource. Nothing here is needed to be right: after a restart all of it is
 * observed anew, or waited for.
 */
export interface ReconcileState {
  /** The custom resource's own uid: one that was deleted and made anew starts afresh. */
  readonly resourceUid: string;
  readonly firstSeenAt: MonotonicTime;
  /** Whether it came into being while this process led, so that no other process can have acted on it. */
  readonly bornHere: boolean;
  /** The last value of the annotation that asks for a reconcile, with the moment at which it was first seen. */
  readonly request?: { readonly value: string; readonly seenAt: MonotonicTime };
  readonly deletionSeenAt?: MonotonicTime;
  /** Since when it has been waiting for something. */
  readonly waitingSince?: MonotonicTime;
  readonly failure?: Failure;
  /** When its status was written last. */
  readonly statusWrittenAt?: MonotonicTime;
  /** When Kubernetes refused, because of rights, to have its status written. */
  readonly statusForbiddenAt?: MonotonicTime;
  /** The last change that the platform answered to, and how the thing differed before it. */
  readonly update?: { readonly attemptOf: string; readonly drift: readonly Drift[]; readonly at: MonotonicTime };
  /** When it was corrected after a change by another hand, within the last hour. */
  readonly corrections: readonly MonotonicTime[];
}

export interface Failure {
  readonly step: PlatformStep["do"];
  readonly problem: PlatformProblem;
  /** What was tried to be made so: another spec, parent or credential makes the failure moot. */
  readonly attemptOf: string;
  /** How many times in a row. */
  readonly attempts: number;
  readonly at: MonotonicTime;
  readonly retryAt: MonotonicTime;
}
