import type { OutageProblem, PlatformProblem } from "#src/platform-client/failure.ts";
import type { MissingCapability } from "#src/platform-client/permissions.ts";

/** What a check of a session failed with. */
export type SessionProblem = Exclude<PlatformProblem, { kind: "suspended" }> | OutageProblem;

/** Whether a session works. Plain data. */
export type SessionReport =
  | { readonly is: "unchecked" }
  /**
   * Its permissions could not be read: it has no token, or the platform rejects it or is away. Or nothing may be written,
   * because the operator's identity records another owner.
   */
  | {
      readonly is: "failed";
      readonly problem: SessionProblem;
      /** Whether a check of the session has ever succeeded. */
      readonly hasWorked: boolean;
      /**
       * Whether the platform may still be starting: it or the token service is away, no check has ever succeeded, and the first
       * one was made less than a minute ago.
       */
      readonly mayBeStarting: boolean;
    }
  | {
      readonly is: "checked";
      /** The uids of groups that the identity cannot read. */
      readonly unreadableRoots: readonly string[];
      /** The capabilities to list resources that it lacks in the other root groups. */
      readonly missingCapabilities: readonly MissingCapability[];
    };

/** Whether a check of the session has ever succeeded. */
export function hasWorked(report: SessionReport): boolean {
  return report.is === "checked" || (report.is === "failed" && report.hasWorked);
}

/** Whether nothing is wrong with the session. */
export function works(report: SessionReport): boolean {
  return report.is === "checked" && report.unreadableRoots.length + report.missingCapabilities.length === 0;
}
