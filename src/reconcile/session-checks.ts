import { type OutageProblem, PlatformFailure, type PlatformProblem } from "#src/platform-client/failure.ts";
import type { MissingCapability } from "#src/platform-client/permissions.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Semaphore } from "#src/runtime/semaphore.ts";
import type { Clock } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";

/** Whether a session works. Plain data. */
export type SessionReport =
  | { readonly is: "unchecked" }
  /**
   * Its permissions could not be read: it has no token, or the platform rejects it or is away. Or nothing may be written,
   * because the operator's identity records another owner.
   */
  | { readonly is: "failed"; readonly problem: Exclude<PlatformProblem, { kind: "suspended" }> | OutageProblem }
  | {
      readonly is: "checked";
      /** The uids of groups that the identity cannot read. */
      readonly unreadableRoots: readonly string[];
      /** The capabilities to list resources that it lacks in the other root groups. */
      readonly missingCapabilities: readonly MissingCapability[];
    };

export interface SessionChecksOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Limits the concurrent checks. */
  readonly limit: Semaphore;
  /** Whether the session uses what the capability lets it list: a Tenant of it permits the kind. */
  readonly needs: (session: PlatformSession, capability: string) => boolean;
  /** Called when the report of a session changed. */
  readonly onReport: (session: PlatformSession, report: SessionReport) => void;
}

/** A session that does not work is checked again after half to one and a half times this. */
const retryMs = minutes(1);

/**
 * Reports whether each session works. Its permissions are read when it starts, whether an object uses it or not, so that a
 * credential or group that cannot be used is reported before somebody depends on it; and again while it does not work. What
 * reconciles and resyncs learn later is reported, too, and costs no call.
 */
export class SessionChecks {
  readonly #options: SessionChecksOptions;
  readonly #reports = new WeakMap<PlatformSession, SessionReport>();

  constructor(options: SessionChecksOptions) {
    this.#options = options;
  }

  reportOf(session: PlatformSession): SessionReport {
    return this.#reports.get(session) ?? { is: "unchecked" };
  }

  /** Why the session did not work when it was last checked; undefined if it did, or was not checked yet. */
  failureOf(session: PlatformSession): PlatformProblem | undefined {
    const report = this.reportOf(session);
    return report.is === "failed" ? report.problem : undefined;
  }

  /** Checks the session until `signal` aborts; never rejects. Must be called once for a session. */
  async run(session: PlatformSession, signal: AbortSignal): Promise<void> {
    const { clock, random, limit } = this.#options;
    session.onPermissionsRead(() => this.#record(session, this.#readReport(session)));
    session.onOutageChange((outage) => {
      if (outage !== undefined) this.#record(session, { is: "failed", problem: outage.problem });
      else if (session.permissions !== undefined) this.#record(session, this.#readReport(session));
    });
    while (!signal.aborted) {
      if (!works(this.reportOf(session)))
        await limit.run(async () => {
          if (!signal.aborted) await this.#check(session, signal);
        });
      await clock.sleep(retryMs * (0.5 + random()), signal).catch(() => undefined);
    }
  }

  async #check(session: PlatformSession, signal: AbortSignal): Promise<void> {
    try {
      if (this.reportOf(session).is === "unchecked") await session.refreshPermissions();
      else await session.rereadPermissions();
      await session.checkOwner();
      this.#record(session, this.#readReport(session));
    } catch (error) {
      if (signal.aborted || !(error instanceof PlatformFailure)) return;
      const { problem } = error;
      this.#record(session, { is: "failed", problem: problem.kind === "suspended" ? problem.outage : problem });
    }
  }

  #readReport(session: PlatformSession): SessionReport {
    const { unreadableRoots, ownerProblem } = session;
    if (ownerProblem !== undefined && ownerProblem.kind !== "suspended") return { is: "failed", problem: ownerProblem };
    const missingCapabilities = session.missingCapabilities.filter(({ capability }) =>
      this.#options.needs(session, capability),
    );
    return { is: "checked", unreadableRoots, missingCapabilities };
  }

  #record(session: PlatformSession, report: SessionReport): void {
    const before = this.reportOf(session);
    this.#reports.set(session, report);
    if (JSON.stringify(before) !== JSON.stringify(report)) this.#options.onReport(session, report);
  }
}

function works(report: SessionReport): boolean {
  return report.is === "checked" && report.unreadableRoots.length + report.missingCapabilities.length === 0;
}
