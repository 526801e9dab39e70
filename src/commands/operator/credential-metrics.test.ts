import { expect, it } from "vitest";
import type { OutageClass } from "#src/platform-client/outage.ts";
import type { ServedSession } from "#src/reconcile/tenancy/tenant-sessions.ts";
import { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { watchCredentials } from "./credential-metrics.ts";

interface Credential {
  readonly tenant?: string;
  readonly outage?: OutageClass;
  readonly writeOutage?: OutageClass;
  readonly expiresAt?: number;
}

async function metricsOf(all: readonly Credential[]): Promise<readonly string[]> {
  const metrics = new OperatorMetrics();
  const sessions = all.map(({ tenant, outage, writeOutage, expiresAt }) => ({
    tenant,
    session: {
      outage: outage === undefined ? undefined : { class: outage },
      writeOutage: writeOutage === undefined ? undefined : { class: writeOutage },
    },
    tokenExpiresAt: () => expiresAt,
  })) as unknown as ServedSession[];
  const clock = new ManualClock(1_000_000);
  watchCredentials(metrics, { all: () => sessions }, clock);
  return (await metrics.text()).split("\n").filter((line) => line.startsWith("muster_") && !line.endsWith(" 0"));
}

it("counts the credentials whose calls or writes are suspended, and shows what expires first", async () => {
  const lines = await metricsOf([
    { outage: "platform", expiresAt: 60_000 },
    { tenant: "shop", outage: "exchange" },
    { tenant: "web", writeOutage: "platform", expiresAt: 5_000 },
    { tenant: "blog", writeOutage: "platform", expiresAt: 9_000 },
  ]);
  for (const line of [
    'muster_credentials{credential="operator"} 1',
    'muster_credentials{credential="tenant"} 3',
    'muster_calls_suspended{credential="operator",calls="all",class="platform"} 1',
    'muster_calls_suspended{credential="tenant",calls="all",class="exchange"} 1',
    'muster_calls_suspended{credential="tenant",calls="writes",class="platform"} 2',
    'muster_token_expiry_timestamp_seconds{credential="operator"} 1060',
    'muster_token_expiry_timestamp_seconds{credential="tenant"} 1005',
  ])
    expect(lines).toContain(line);
  expect(lines.filter((line) => line.startsWith("muster_calls_suspended"))).toHaveLength(3);
});

it("exports zero for each credential, so that an alert has something to compare", async () => {
  const metrics = new OperatorMetrics();
  watchCredentials(metrics, { all: () => [] }, new ManualClock());
  const text = await metrics.text();
  expect(text.match(/^muster_calls_suspended\{.*\} 0$/gm)).toHaveLength(16);
  // Tenants are never named: there may be thousands.
  expect(text).not.toMatch(/^muster_credentials\{.*(?:name|tenant)=/m);
});
