import type { OutageClass } from "#src/platform-client/outage.ts";
import type { TenantSessions } from "#src/reconcile/tenancy/tenant-sessions.ts";
import type { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import type { Clock } from "#src/time/clock.ts";

const classes: readonly OutageClass[] = ["platform", "tokenService", "token", "exchange"];

/**
 * Computes the metrics of the credentials at each scrape. Those of Tenants are counted together, because there may be
 * thousands; the status of each Tenant says whether its own works.
 */
export function watchCredentials(metrics: OperatorMetrics, sessions: Pick<TenantSessions, "all">, clock: Clock): void {
  const { credentials, callsSuspended, tokenExpiry } = metrics;
  metrics.onScrape(() => {
    tokenExpiry.reset();
    for (const credential of ["operator", "tenant"]) {
      credentials.set({ credential }, 0);
      for (const calls of ["all", "writes"])
        for (const outageClass of classes) callsSuspended.set({ credential, calls, class: outageClass }, 0);
    }
    const expiries = new Map<string, number>();
    for (const { tenant, session, tokenExpiresAt } of sessions.all()) {
      const credential = tenant === undefined ? "operator" : "tenant";
      credentials.inc({ credential });
      const { outage, writeOutage } = session;
      if (outage !== undefined) callsSuspended.inc({ credential, calls: "all", class: outage.class });
      if (writeOutage !== undefined) callsSuspended.inc({ credential, calls: "writes", class: writeOutage.class });
      const expiresAt = tokenExpiresAt?.();
      if (expiresAt !== undefined) expiries.set(credential, Math.min(expiresAt, expiries.get(credential) ?? expiresAt));
    }
    for (const [credential, at] of expiries)
      tokenExpiry.set({ credential }, (clock.now() + at - clock.monotonic()) / 1000);
  });
}
