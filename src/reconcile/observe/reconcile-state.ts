import type { Drift, SentSecret } from "#src/api/status.ts";
import type { PlatformProblem } from "#src/platform-client/failure.ts";
import type { MonotonicTime } from "#src/time/clock.ts";

/**
 * What this process remembers of one custom resource between two reconciles. Correctness does not depend on it: a new
 * process observes everything again, or waits for it.
 */
export interface ReconcileState {
  /** The uid of the custom resource: an object that was deleted and created again starts with an empty state. */
  readonly resourceUid: string;
  readonly firstSeenAt: MonotonicTime;
  /** When the current generation of the spec was first seen. */
  readonly specSeenAt: MonotonicTime;
  readonly generation: number;
  /** Whether the object was created while this process was the only leader, and no resource of it has been recorded since. */
  readonly bornHere: boolean;
  /** The last value of the annotation that requests a reconcile. */
  readonly request?: ReconcileRequest;
  readonly deletionSeenAt?: MonotonicTime;
  /**
   * The last POST of this process for the object, and for which Tenant, until the uid of what it created is recorded. `created`:
   * what the status is to record, from the response.
   */
  readonly posted?: { readonly naturalKey: string; readonly tenant?: string; readonly created?: Recorded };
  /** The uid of the last resource that this process decided to delete, which it knew to exist then. */
  readonly deleting?: string;
  readonly waitingSince?: MonotonicTime;
  /**
   * While it waits: the role bindings, and their roles, because of which its resource is not adopted, or not given to others. Once
   * they are declared or gone, or the roles allow less, it may be.
   */
  readonly deniedBy?: DeniedBy;
  readonly failure?: Failure;
  /** How many times a watch handler observed that the cause of a failure may be gone. */
  readonly causeChanges?: number;
  readonly statusWrittenAt?: MonotonicTime;
  /** The steps that Kubernetes refused when they were last tried. */
  readonly refusals?: Readonly<Partial<Record<KubeStepName, Refusal>>>;
  /** The last update that succeeded, with the differences that it was to remove. */
  readonly update?: { readonly attemptOf: string; readonly drift: readonly Drift[]; readonly at: MonotonicTime };
  /** What this process last sent with a write of the resource `of`; `secret` is null if it removed what was sent before. */
  readonly secretSent?: { readonly of: string; readonly secret: SentSecret | null };
  /**
   * What this process created with a code that only it has, until the uid is recorded. `failed`: the code can no longer be
   * written into the Secret, so that the resource has to be deleted; `drift`: because the platform made something else than
   * what was requested.
   */
  readonly issued?: { readonly uid: string; readonly failed?: true; readonly drift?: readonly Drift[] };
  /** What was created with a code and deleted again, because it was not what was requested, and in which attempt. */
  readonly altered?: { readonly attemptOf: string; readonly drift: readonly Drift[] };
  /** The note of the event that this process wrote about what the object leaves on the platform. */
  readonly reported?: string;
  /** When drift was corrected, within the last hour. */
  readonly corrections: readonly MonotonicTime[];
}

/** What the status records of the external resource. */
export interface Recorded {
  readonly uid: string;
  readonly parentUid?: string;
  readonly identityUid?: string;
  readonly roleUid?: string;
  readonly createTime?: string;
  readonly management: "Created" | "Adopted" | "Observed";
}

/** The uids of roles and role bindings; `many`: more than are remembered. */
export type DeniedBy = readonly string[] | "many";

export interface ReconcileRequest {
  readonly value: string;
  readonly seenAt: MonotonicTime;
}

/** The last platform call that failed. */
export interface Failure {
  readonly step: PlatformStepName;
  readonly problem: PlatformProblem;
  /** What the call was to achieve: a failure does not delay the attempt at anything else. */
  readonly attemptOf: string;
  /** `Observed.recoveries` when the call was decided; absent unless the end of an outage may end the problem. */
  readonly recoveries?: number;
  /** Consecutive failures of this step at the same, with whatever token. A call that was not sent does not count. */
  readonly attempts: number;
  readonly at: MonotonicTime;
  readonly retryAt: MonotonicTime;
}

/**
 * Kubernetes refused a call: a permission is missing, a quota is exceeded, or an admission policy, a webhook or the schema
 * rejects the write.
 */
export interface Refusal {
  /** The HTTP status. */
  readonly code: number;
  /** What Kubernetes said, on one line. It starts with the call, such as `patch groups/status`. At most 1,024 characters. */
  readonly message: string;
  /** What the call was to achieve: a refusal does not delay the attempt at anything else. */
  readonly attemptOf: string;
  /** Consecutive refusals of this attempt. */
  readonly attempts: number;
  readonly retryAt: MonotonicTime;
}

export type KubeStepName =
  | "addFinalizer"
  | "removeFinalizer"
  | "report"
  | "readCrd"
  | "readSecret"
  | "checkSecret"
  | "writeSecret"
  | "writeStatus";
export type PlatformStepName =
  | "refreshPermissions"
  | "list"
  | "read"
  | "listNamed"
  | "readIdentity"
  | "readRole"
  | "readGrants"
  | "create"
  | "update"
  | "delete"
  | "removeUndeclared";
