import { PlatformFailure, type PlatformProblem } from "#src/platform-client/failure.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Semaphore } from "#src/runtime/semaphore.ts";
import type { Clock } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";

/** Whether a session works. Plain data. */
export type SessionReport =
  | { readonly is: "unchecked" }
  /** Its permissions could not be read: it has no token, or the platform rejects it or is away. */
  | { readonly is: "failed"; readonly problem: PlatformProblem }
  | {
      readonly is: "checked";
      /** The uids of groups that the identity cannot read. */
      readonly unreadableRoots: readonly string[];
    };

export interface SessionChecksOptions {
  /** The interval of the checks of a session that works. */
  readonly intervalMs: number;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Limits the concurrent checks. */
  readonly limit: Semaphore;
  /** Called when the report of a session changed. */
  readonly onReport: (session: PlatformSession, report: SessionReport) => void;
}

/** A session that does not work is checked again after half to one and a half times this. */
const retryMs = minutes(1);

/**
 * Reads the permissions of each session when it starts, and again in an interval, whether an object uses it or not, so that
 * a credential or group that cannot be used is reported before somebody depends on it.
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

  /** Checks the session until `signal` aborts; never rejects. */
  async run(session: PlatformSession, signal: AbortSignal): Promise<void> {
    const { clock, random, intervalMs, limit } = this.#options;
    while (!signal.aborted) {
      const report = await limit.run(() => check(session));
      if (signal.aborted) return;
      this.#record(session, report);
      const works = report.is === "checked" && report.unreadableRoots.length === 0;
      await clock.sleep((works ? intervalMs : retryMs) * (0.5 + random()), signal).catch(() => undefined);
    }
  }

  #record(session: PlatformSession, report: SessionReport): void {
    const before = this.reportOf(session);
    this.#reports.set(session, report);
    if (JSON.stringify(before) !== JSON.stringify(report)) this.#options.onReport(session, report);
  }
}

async function check(session: PlatformSession): Promise<SessionReport> {
  try {
    await session.rereadPermissions();
    return { is: "checked", unreadableRoots: session.unreadableRoots };
  } catch (error) {
    if (error instanceof PlatformFailure) return { is: "failed", problem: error.problem };
    return { is: "unchecked" };
  }
}
