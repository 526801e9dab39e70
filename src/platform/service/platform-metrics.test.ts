import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type MetricSources, PlatformMetrics } from "./platform-metrics.ts";

const sources: MetricSources = {
  connections: async () => 1,
  maximumInFlight: 10,
  isDatabaseUp: async () => false,
  isWritable: () => true,
  certificateExpiry: () => undefined,
  signingKeyCreation: async () => 0,
  signingKeyInterval: 1_000,
  omittedEvents: () => 0,
  auditExport: undefined,
};
const auditExport = (lag: () => Promise<number>) => ({ lag, exported: 3, failures: 0 });
const never = () => new Promise<number>(() => {});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

async function scrape(metrics: PlatformMetrics): Promise<string> {
  const text = metrics.registry.metrics();
  await vi.advanceTimersByTimeAsync(4_000);
  return Promise.race([text, Promise.resolve("no response")]);
}

it.each([
  ["does not respond", never],
  ["fails", () => Promise.reject(new Error("the database is unavailable"))],
])("a scrape says that the database is down while it %s, without what it would say", async (_, lag) => {
  const text = await scrape(
    new PlatformMetrics({ ...sources, auditExport: auditExport(lag), signingKeyCreation: lag }),
  );
  expect(text).toMatch(/^muster_platform_server_database_up 0$/m);
  expect(text).toMatch(/^muster_platform_server_audit_export_records_total 3$/m);
  expect(text).not.toMatch(/^muster_platform_server_(?:audit_export_lag|signing_key_creation)/m);
});

it("scrapes share a read that does not end", async () => {
  const lag = vi.fn(never);
  const metrics = new PlatformMetrics({ ...sources, auditExport: auditExport(lag) });
  await scrape(metrics);
  await scrape(metrics);
  expect(lag).toHaveBeenCalledOnce();
});
