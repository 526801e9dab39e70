import type { Kind } from "#src/kinds/kind.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { OwnerCheck } from "#src/platform-client/owner-check.ts";
import { subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import { observeOrphans } from "#src/reconcile/observe/orphans.ts";
import type { OperatorCore } from "#src/reconcile/operator-core.ts";
import { runResyncs } from "#src/reconcile/resync.ts";
import { SessionChecks } from "#src/reconcile/session-checks.ts";
import { outermostGroups } from "#src/reconcile/tenancy/boundary.ts";
import type { Tenancy } from "#src/reconcile/tenancy/tenancy.ts";
import { isUsedBy } from "#src/reconcile/tenancy/used-kinds.ts";
import { findUnknownRoles } from "#src/reconcile/tenancy/tenant-problems.ts";
import { type OpenTenantSession, type ServedSession, TenantSessions } from "#src/reconcile/tenancy/tenant-sessions.ts";
import { Semaphore } from "#src/runtime/semaphore.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { Clock } from "#src/time/clock.ts";
import type { PlatformAddress, PlatformConnection } from "./connect-platform.ts";
import type { OperatorValues } from "./settings.ts";
import type { OperatorTelemetry } from "./telemetry.ts";
import { tenantToken } from "./tenant-token.ts";

/** Background lists and checks of all sessions share the connections with the reconciles, which people wait for. */
const maxResyncs = 2;
const maxChecks = 2;

export interface SessionsOptions {
  readonly values: OperatorValues;
  readonly kube: KubeApi;
  /** The operator's own namespace. */
  readonly namespace: string;
  readonly platform: PlatformConnection;
  readonly address: PlatformAddress;
  /** The owner that the operator's identity must record. */
  readonly owner: string;
  /** Ends every session. */
  readonly signal: AbortSignal;
}

/** The operator's session, and those of Tenants with credentials of their own. All of them write under one owner check. */
export function createSessions({ values, kube, namespace, platform, address, owner, signal }: SessionsOptions): {
  readonly sessions: TenantSessions;
  readonly ownerCheck: OwnerCheck;
} {
  const { authUrl } = address;
  const credential = { identity: values.identity, roots: outermostGroups(values.rootGroup) };
  const readSubjectToken = subjectTokenFile(values.tokenFile);
  const operator = platform.openSession({ ...credential, readSubjectToken }, owner, signal);
  const openOwn: OpenTenantSession = (tenant, own, end) => {
    const readOwnToken = tenantToken(tenant, { kube, namespace, authUrl }, end);
    return platform.openSession({ ...own, readSubjectToken: readOwnToken }, operator.owner, end);
  };
  const sessions = new TenantSessions({ ...credential, ...operator }, openOwn, signal);
  return { sessions, ownerCheck: operator.owner };
}

export interface SessionWorkOptions {
  readonly kinds: readonly Kind[];
  readonly values: OperatorValues;
  readonly sessions: TenantSessions;
  readonly core: OperatorCore;
  readonly telemetry: OperatorTelemetry;
  readonly checks: SessionChecks;
  /** Called with the orphans that a resync found. */
  readonly onOrphans: (kind: Kind, uids: readonly string[]) => void;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called after a resync of the session in which no list failed. */
  readonly onResynced: (session: ServedSession["session"]) => void;
}

export interface SessionWork {
  /** Resolves once the work of all sessions has ended, which it does when they end. */
  ended(): Promise<void>;
}

export interface SessionChecksSources
  extends Pick<SessionWorkOptions, "kinds" | "values" | "sessions" | "telemetry" | "clock" | "random"> {
  /** Says which of the kinds the Tenants of a session permit. */
  readonly tenancy: Pick<Tenancy, "contexts">;
  /** Called after the report of a session changed. */
  readonly onReport: (session: ServedSession["session"]) => void;
}

/** The checks of all sessions, which are logged. */
export function createSessionChecks(options: SessionChecksSources): SessionChecks {
  const { kinds, tenancy, sessions, telemetry, clock, random, onReport } = options;
  return new SessionChecks({
    clock,
    random,
    limit: new Semaphore(maxChecks),
    needs: (session, capability) =>
      kinds.some(
        ({ name, collection }) => collection.listCapability === capability && isUsedBy(tenancy, session, name),
      ),
    onReport: (session, report) => {
      if (session === sessions.operator.session && report.is === "checked") reportSettings(options, sessions.operator);
      telemetry.sessionChecked(tenantOf(sessions, session), report);
      onReport(session);
    },
  });
}

/** Checks and resyncs every session until it ends. */
export function startSessionWork(options: SessionWorkOptions): SessionWork {
  const { kinds, values, sessions, core, telemetry, checks, clock, random } = options;
  const running = new Set<Promise<void>>();
  const track = (work: Promise<void>) => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  const resyncs = new Semaphore(maxResyncs);
  // By kind and session: a resync of one session says nothing new of the others.
  const orphans = new PerKind(kinds, () => new Map<ServedSession["session"], readonly string[]>());
  sessions.onSession(({ tenant, session, signal }) => {
    session.onOutageChange((outage) => telemetry.outageChanged(tenant, outage));
    session.onWriteOutageChange((outage) => telemetry.writeOutageChanged(tenant, outage));
    const forgetOrphans = () => {
      for (const ofKind of orphans.values()) ofKind.delete(session);
    };
    signal.addEventListener("abort", forgetOrphans, { once: true });
    track(checks.run(session, signal));
    const resync = async () => {
      const isComplete = await core.resync(session, {
        onListed: (kind, seconds) => {
          const ofKind = orphans.get(kind.name);
          ofKind.set(session, observeOrphans(core.sources, kind, [session]));
          const all = [...new Set([...ofKind.values()].flat())];
          telemetry.resynced(kind, seconds, all);
          options.onOrphans(kind, all);
        },
        onFailure: (kind, root, error) => telemetry.resyncFailed(kind, root, error),
      });
      if (isComplete) options.onResynced(session);
    };
    track(runResyncs({ intervalMs: values.resync, limit: resyncs, clock, random }, resync, signal));
  });
  return {
    ended: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Reports what the settings name and the platform does not have. */
function reportSettings({ values, telemetry }: SessionChecksSources, { session }: ServedSession): void {
  const { roles, unreadableRoots } = session;
  telemetry.settingsChecked({
    unknownRoles: roles === undefined ? [] : findUnknownRoles(values.allowedRole, roles),
    unreadableRoots,
  });
}

function tenantOf(sessions: TenantSessions, session: ServedSession["session"]): string | undefined {
  for (const served of sessions.all()) if (served.session === session) return served.tenant;
  return undefined;
}
