import type { Reason } from "#src/api/reason.ts";

/** Why a Tenant does not work, or not as its spec says. */
export interface TenantProblem {
  readonly reason: Reason;
  /** What is wrong, where, and how to fix it. */
  readonly message: string;
}
