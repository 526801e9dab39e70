import type { Reason } from "#src/api/reason.ts";
import type { Drift } from "#src/api/status.ts";
import type { NoneRecorded } from "./recorded.ts";
import type { PlatformError, Recorded } from "#src/reconcile/observe/observed.ts";

/** What a reconcile came to. The status is derived from it. */
export type Outcome =
  /** The external resource exists and matches the spec. */
  { readonly is: "ready"; readonly recorded: Recorded } | { readonly is: "paused" } | Problem;

/**
 * Why a resource does not match its spec, and what that means for its conditions:
 * - `stalled`: not retried until something changes (kstatus Stalled). Reported at once.
 * - `waiting`: resolves without anybody's action (kstatus Reconciling). Reported if it lasts.
 * - `failing`: retried, but somebody has to act. Reported if it lasts.
 */
export interface Problem {
  readonly is: "stalled" | "waiting" | "failing";
  readonly reason: Reason;
  /** What is wrong, where, and how to fix it. */
  readonly message: string;
  readonly error?: PlatformError;
  readonly drift?: readonly Drift[];
  /**
   * What the status records of the external resource from now on. Absent: what it recorded before. `cleared`: the resource
   * is gone, and only how it was managed is kept, so that a resource whose loss is reported is not created again.
   * `forgotten`: there is no resource, as if there had never been one. `ended`: there is no resource, and none is created
   * any longer, even if the status did not record the one that there was.
   */
  readonly recorded?: Recorded | NoneRecorded;
  /** How long the problem must last before it is reported, in milliseconds. The default is two seconds. */
  readonly statusDelayMs?: number;
}

export function stalled(reason: Reason, message: string): Problem {
  return { is: "stalled", reason, message };
}

export function waiting(reason: Reason, message: string): Problem {
  return { is: "waiting", reason, message };
}

export function failing(reason: Reason, message: string): Problem {
  return { is: "failing", reason, message };
}
