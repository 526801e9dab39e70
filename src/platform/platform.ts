import { setTimeout as wait } from "node:timers/promises";
import { retainAuditLog } from "./audit/audit-retention.ts";
import type { AuditExport, AuditExportOptions } from "./audit-export/audit-export.ts";
import { SecurityLog } from "./audit/security-log.ts";
import { initialize } from "./initialize.ts";
import type { ProbeResult } from "#src/telemetry/health.ts";
import type { PlatformOptions } from "./platform-options.ts";
import { portHandlers } from "./port-handlers.ts";
import { HttpServer } from "./server/http-server.ts";
import type { PortHandlers } from "./server/request-dispatcher.ts";
import type { PlatformSettings } from "./service/platform-settings.ts";
import { probeResultOf } from "./service/readiness.ts";
import { ObservedDatabase } from "./store/observed-database.ts";

/** A running platform. */
export interface Platform {
  /** The address of the port: `127.0.0.1:8080`. */
  readonly address: string;
  readonly url: string;
  readonly settings: PlatformSettings;
  readonly rootGroup: string;
  /** What `/readyz` responds. */
  readonly ready: () => Promise<ProbeResult>;
  /** The metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** Becomes unready, drains, stops accepting calls, completes running ones and closes the database. */
  readonly close: () => Promise<void>;
}

/** The time that running calls get to complete when the platform stops (ms). */
const drainMilliseconds = 8_000;

/**
 * Starts a platform. It listens first, because its addresses may follow from the port; requests wait until the database is
 * initialized and the handlers are connected.
 * @throws Error if the address is in use, or the database or the admin token file cannot be written
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { adminTokenFile, initFile, auditRetention, auditWebhook: webhook, names, clock, log } = options;
  const monotonic = () => performance.now();
  const database = new ObservedDatabase(options.database, monotonic);
  const handlers = Promise.withResolvers<PortHandlers>();
  // Requests that await it receive the error. Without a request, it must not be an unhandled rejection.
  handlers.promise.catch(() => {});
  const server = await HttpServer.listen(options.listen, handlers.promise);
  try {
    const settings = options.settings(server.url);
    const { rootGroup, created, differences } = await initialize(database, adminTokenFile, clock(), initFile);
    await database.try();
    const stopping = new AbortController();
    const connections = () => server.connections();
    const isWritable = () => database.isWritable();
    const securityLog = new SecurityLog({ database, log, clock, monotonic });
    const auditExport = webhook && (await startAuditExport({ database, webhook, names, clock, log }));
    const connected = await portHandlers({ ...options, database }, settings, {
      connections,
      stopping: stopping.signal,
      isWritable,
      securityLog,
      auditExport,
    });
    handlers.resolve(connected);
    const { readiness, metrics } = connected;
    if (created) log.info({ rootGroup, adminTokenFile }, "root group and admin token created");
    for (const difference of differences)
      log.warn(difference, "the init file differs from the database; it is compared and never applied");
    const stopRetention = retainAuditLog({
      database,
      age: auditRetention,
      maximumEvents: options.maximumAuditEvents,
      clock,
      log,
    });
    return {
      address: server.address,
      url: server.url,
      settings,
      rootGroup,
      ready: async () => probeResultOf(await readiness.state()),
      metrics: () => metrics.registry.metrics(),
      close: async () => {
        stopping.abort();
        // Load balancers need some time to notice that this replica is unready.
        await wait(options.drainDelay);
        await server.close(drainMilliseconds);
        await stopRetention();
        await securityLog.close();
        await auditExport?.close();
        await database.close();
      },
    };
  } catch (error) {
    handlers.reject(error);
    await server.close(0);
    throw error;
  }
}

/** Loaded on demand: most platforms export nothing. */
async function startAuditExport(options: AuditExportOptions): Promise<AuditExport> {
  const { AuditExport: Export } = await import("./audit-export/audit-export.ts");
  return new Export(options);
}
