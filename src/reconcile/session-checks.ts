import { PlatformFailure } from "#src/platform-client/failure.ts";
import { type OutageClass, outageIn } from "#src/platform-client/outage.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Semaphore } from "#src/runtime/semaphore.ts";
import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes, seconds } from "#src/time/durations.ts";
import { hasWorked, type SessionReport, type SessionProblem, works } from "./tenancy/session-report.ts";

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
/** The first checks are repeated sooner: where all is installed at once, the platform may not be there yet. */
const firstRetriesMs = [seconds(1), seconds(2), seconds(4)];
/** For how long a platform that does not respond may be one that was installed together with the operator. */
const startMs = minutes(1);
/** What fails while the platform is starting. That a token or its exchange is refused is never a matter of time. */
const startingClasses: ReadonlySet<OutageClass | undefined> = new Set(["platform", "tokenService"]);

/**
 * Reports whether each session works. Its permissions are read when it starts, whether an object uses it or not, so that a
 * credential or group that cannot be used is reported before somebody depends on it; and again while it does not work. What
 * reconciles and resyncs learn later is reported, too, and costs no call.
 */
export class SessionChecks {
  readonly #options: SessionChecksOptions;
  readonly #reports = new WeakMap<PlatformSession, SessionReport>();
  readonly #firstChecks = new WeakMap<PlatformSession, MonotonicTime>();

  constructor(options: SessionChecksOptions) {
    this.#options = options;
  }

  reportOf(session: PlatformSession): SessionReport {
    return this.#reports.get(session) ?? { is: "unchecked" };
  }

  /** Checks the session until `signal` aborts; never rejects. Must be called once for a session. */
  async run(session: PlatformSession, signal: AbortSignal): Promise<void> {
    const { clock, random, limit } = this.#options;
    let outageEnd = new AbortController();
    this.#firstChecks.set(session, clock.monotonic());
    session.onPermissionsRead(() => this.#record(session, this.#readReport(session)));
    session.onOutageChange((outage) => {
      if (outage !== undefined) this.#record(session, this.#failed(session, outage.problem));
      else if (session.permissions !== undefined) this.#record(session, this.#readReport(session));
      else outageEnd.abort();
    });
    for (let checks = 0; !signal.aborted; checks += 1) {
      outageEnd = new AbortController();
      if (!works(this.reportOf(session)))
        await limit.run(async () => {
          if (!signal.aborted) await this.#check(session, signal);
        });
      const firstMs = hasWorked(this.reportOf(session)) ? undefined : firstRetriesMs[checks];
      const end = AbortSignal.any([signal, outageEnd.signal]);
      await clock.sleep(firstMs ?? retryMs * (0.5 + random()), end).catch(() => undefined);
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
      this.#record(session, this.#failed(session, problem.kind === "suspended" ? problem.outage : problem));
    }
  }

  #readReport(session: PlatformSession): SessionReport {
    const { unreadableRoots, ownerProblem } = session;
    if (ownerProblem !== undefined && ownerProblem.kind !== "suspended") return this.#failed(session, ownerProblem);
    const missingCapabilities = session.missingCapabilities.filter(({ capability }) =>
      this.#options.needs(session, capability),
    );
    return { is: "checked", unreadableRoots, missingCapabilities };
  }

  #failed(session: PlatformSession, problem: SessionProblem): SessionReport {
    const worked = hasWorked(this.reportOf(session));
    const checkedForMs = this.#options.clock.monotonic() - (this.#firstChecks.get(session) ?? 0);
    const mayBeStarting = !worked && checkedForMs < startMs && startingClasses.has(outageIn(problem)?.class);
    return { is: "failed", problem, hasWorked: worked, mayBeStarting };
  }

  #record(session: PlatformSession, report: SessionReport): void {
    const before = this.reportOf(session);
    this.#reports.set(session, report);
    if (JSON.stringify(before) !== JSON.stringify(report)) this.#options.onReport(session, report);
  }
}
