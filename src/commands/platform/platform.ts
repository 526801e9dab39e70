import type { Logger } from "pino";
import { createLog } from "#src/telemetry/log.ts";
import { type HealthServer, serveHealth } from "#src/telemetry/health.ts";
import { startTracing } from "#src/telemetry/start-tracing.ts";
import type { InitFile } from "#src/platform/init-file.ts";
import type { WebhookOptions } from "#src/platform/audit-export/webhook.ts";
import { NameResolver } from "#src/platform/names/name-resolver.ts";
import { type Platform, startPlatform } from "#src/platform/platform.ts";
import type { PlatformSettings } from "#src/platform/service/platform-settings.ts";
import { connectionsThatFit, openingsAmong, requestMemoryThatFits } from "#src/platform/server/memory-shares.ts";
import { type PortLimits, portLimits } from "#src/platform/server/port-limits.ts";
import { readProcessLimits } from "#src/platform/server/process-limits.ts";
import { TlsFiles } from "#src/platform/server/tls-files.ts";
import { openKeyFile } from "#src/platform/tokens/key-file.ts";
import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { hours } from "#src/time/durations.ts";
import { readWebhookSecrets } from "./webhook-secrets.ts";
import { issuerIn } from "./cluster-issuer.ts";
import { dataLocation, defaultFile, isUnencryptedByDefault, openDatabase, withDataLock } from "./data.ts";
import { diskReserve } from "./disk-reserve.ts";
import { platformSettings } from "./settings.ts";

const dayMs = hours(24);

export default defineCommand({
  summary: "serve the platform API that the operator manages",
  settings: platformSettings,
  run: async (values, { env, signal }) => {
    const location = dataLocation(values);
    const adminTokenFile = defaultFile(location, "admin-token", values.adminTokenFile);
    const keyFile = defaultFile(location, "key", values.keyFile);
    settings.requirePrivateFile("--key-file", keyFile);
    settings.requirePrivateFile("--admin-token-file", adminTokenFile);
    const initFile = values.initFile === undefined ? undefined : await readInitFile(values.initFile);
    const auditWebhook = auditWebhookOf(values.auditWebhook, values.auditWebhookSecretFile);
    const log = createLog({ level: values.logLevel });
    warnOfIgnoredProxy(env, log);
    warnOfTestSettings(values, log);
    if (isUnencryptedByDefault(location))
      log.warn(
        "the connection to the database is not encrypted, because its URL has no sslmode: add sslmode=verify-full, or sslmode=disable if that is meant",
      );
    const tracer = await startTracing("muster-platform", env, log);
    const settingsAt = (url: string): PlatformSettings => {
      const baseUrl = withoutSlash(values.baseUrl?.href ?? url);
      return {
        baseUrl,
        authUrl: withoutSlash(values.authUrl?.href ?? baseUrl),
        audiences: values.audience,
        refreshLifetime: values.refreshLifetime,
        maximumRefreshTokens: values.maximumRefreshTokens,
        loginLifetime: values.loginLifetime,
        publicIssuers: values.publicIssuer,
        trustedIssuers: values.trustedIssuer,
        corsOrigins: values.corsOrigin,
        awsSts: values.awsSts,
        awsHeaderVendor: values.awsHeaderVendor,
        errorDomain: values.errorDomain,
        vendorAlias: values.vendorAlias,
        uniqueNames: values.uniqueNames,
        consistencyLag: values.consistencyLag,
        unknownFields: values.unknownFields,
        deleteResponse: values.deleteAnswer,
        unknownCapabilities: values.unknownCapabilities,
        quota: {
          resources: values.maximumResources,
          roleBindingsPerIdentity: values.maximumRoleBindings,
          auditBytes: values.maximumAuditBytes,
        },
        rootGroupCreators: values.rootGroupCreators,
      };
    };
    const tls = await tlsFiles(values.tlsCert, values.tlsKey, log);
    const limits = portLimitsOf(values, tls === undefined ? "plain" : "tls", log);
    await withDataLock(location, "muster platform", async () => {
      const database = await openDatabase(location, {
        connections: values.databaseConnections,
        reserve: diskReserve(log),
      });
      const masterKey = await openKeyFile(keyFile, database).catch(async (error: unknown) => {
        await database.close();
        throw error;
      });
      const platform = await startPlatform({
        database,
        masterKey,
        names: new NameResolver(),
        clock: Date.now,
        log,
        tracer,
        listen: {
          ...values.listen,
          tls,
          limits,
          trustedProxies: values.trustedProxy,
        },
        adminTokenFile,
        initFile,
        latency: values.latency,
        maximumInFlight: values.maximumInFlight,
        maximumIssuerRequests: values.maximumIssuerRequests,
        signingKeyInterval: values.signingKeyInterval,
        rateLimit: values.rateLimit,
        faults: values.fault,
        faultInjection: values.faultInjection,
        drainDelay: values.drainDelay,
        auditRetention: values.auditRetention === undefined ? undefined : values.auditRetention * dayMs,
        maximumAuditEvents: values.maximumAuditEvents,
        auditWebhook,
        settings: settingsAt,
      }).catch((error: unknown) => {
        throw settings.listenError("--listen", error);
      });
      const { baseUrl, authUrl } = platform.settings;
      const { address, rootGroup } = platform;
      const health = await serveProbes(values.healthListen, platform);
      const { connections: maximumConnections } = limits;
      log.info(
        { address, healthAddress: health?.address, baseUrl, authUrl, rootGroup, maximumConnections },
        "listening",
      );
      await aborted(signal);
      log.info("stopping; draining calls in flight");
      await platform.close();
      await health?.close();
      await tracer?.stop();
      log.info("stopped");
    });
  },
});

/** Serves health and metrics at an address of their own. @throws {Error} that names the flag, if the address cannot be served */
async function serveProbes(
  address: settings.Values<typeof platformSettings>["healthListen"],
  platform: Platform,
): Promise<HealthServer | undefined> {
  if (address === undefined) return undefined;
  try {
    return await serveHealth({ ...address, ready: platform.ready, metrics: platform.metrics });
  } catch (error) {
    await platform.close();
    throw settings.listenError("--health-listen", error);
  }
}

/** @throws {SettingsError} if only one of the two is given. @throws {Error} if the file has no valid secret */
function auditWebhookOf(
  endpoint: { readonly url: string; readonly ca: string | undefined } | undefined,
  secretFile: string | undefined,
): WebhookOptions | undefined {
  if (endpoint === undefined && secretFile === undefined) return undefined;
  if (endpoint === undefined || secretFile === undefined)
    throw new settings.SettingsError(["--audit-webhook and --audit-webhook-secret-file must be given together"]);
  const flag = "--audit-webhook-secret-file";
  const readSecrets = () => {
    settings.requirePrivateFile(flag, secretFile);
    return readWebhookSecrets(flag, secretFile);
  };
  readSecrets();
  return { ...endpoint, readSecrets };
}

/** A proxy would resolve the names of issuers, so that the platform could not check their addresses. */
function warnOfIgnoredProxy(env: CommandContext["env"], log: Logger): void {
  const variables = ["https_proxy", "HTTPS_PROXY"].filter((name) => env[name]);
  if (variables.length > 0)
    log.warn({ variables }, "the platform uses no proxy: it fetches the keys of issuers directly");
}

function warnOfTestSettings(
  { fault, faultInjection, latency }: settings.Values<typeof platformSettings>,
  log: Logger,
): void {
  const used = { "--fault": fault.length > 0, "--fault-injection": faultInjection, "--latency": latency > 0 };
  const names = Object.entries(used).flatMap(([name, isUsed]) => (isUsed ? [name] : []));
  if (names.length > 0)
    log.warn(
      { settings: names },
      "settings for tests are in use: calls are delayed or fail on purpose, or may be made to",
    );
}

/** @throws {SettingsError} that names the field of the file */
async function readInitFile(path: string): Promise<InitFile> {
  const content = await settings.readTextFile("--init-file", path);
  const { parseInitFile } = await import("#src/platform/init-file.ts");
  try {
    return parseInitFile(content, issuerIn);
  } catch (error) {
    throw new settings.SettingsError([`--init-file: ${(error as Error).message}`]);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** The limits of the port: those that the settings leave open follow from what the process may use. */
function portLimitsOf(
  { maximumConnections, requestMemory }: settings.Values<typeof platformSettings>,
  protocol: "plain" | "tls",
  log: Logger,
): PortLimits {
  const processLimits = readProcessLimits();
  const fitting = connectionsThatFit(processLimits, protocol);
  const connections = maximumConnections ?? Math.min(fitting, portLimits.connections);
  if (connections > fitting)
    log.warn(
      { maximumConnections, fitting },
      "--maximum-connections is more than the memory and the open files allow for",
    );
  return {
    ...portLimits,
    connections,
    openings: openingsAmong(connections),
    requestMemory: requestMemory === undefined ? requestMemoryThatFits(processLimits) : requestMemory * 1024 * 1024,
  };
}

/** @throws {SettingsError} if only one of the two files is given. @throws {Error} if one cannot be read. */
async function tlsFiles(
  certificate: string | undefined,
  key: string | undefined,
  log: Logger,
): Promise<TlsFiles | undefined> {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new settings.SettingsError(["--tls-cert and --tls-key must be given together"]);
  await settings.readTextFile("--tls-cert", certificate);
  await settings.readTextFile("--tls-key", key);
  settings.requirePrivateFile("--tls-key", key);
  return new TlsFiles({ certificate, key }, log);
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
