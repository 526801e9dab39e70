import type { AuditExport } from "./audit-export/audit-export.ts";
import { AuditAccounts } from "./audit/audit-accounts.ts";
import type { SecurityLog } from "./audit/security-log.ts";
import { Faults } from "./faults/faults.ts";
import { isGrpcPath, kindOfRequest } from "./grpc/kind-of-request.ts";
import { httpEndpoints, withoutAuthPath } from "./http-endpoints.ts";
import { DiscoveryDocuments } from "./oidc/discovery-documents.ts";
import { securityTokenService, type SecurityTokenServiceOptions } from "./oidc/security-token-service.ts";
import { onDemand } from "./on-demand.ts";
import type { PlatformOptions } from "./platform-options.ts";
import { PageTokens } from "./resources/page-token.ts";
import { faultsHandler } from "./rest/faults-handler.ts";
import { rejectionResponse, restHandler } from "./rest/rest-handler.ts";
import { Transcoder } from "./rest/transcoder.ts";
import { CrossOrigin } from "./server/cross-origin.ts";
import type { PortHandlers } from "./server/request-dispatcher.ts";
import { Authenticator } from "./service/authenticator.ts";
import { CallRunner } from "./service/call-runner.ts";
import { CallSlots } from "./service/call-slots.ts";
import { type Operation, operationsOf } from "./service/operations.ts";
import { PlatformMetrics } from "./service/platform-metrics.ts";
import type { PlatformSettings } from "./service/platform-settings.ts";
import { Readiness } from "./service/readiness.ts";
import { Transactions } from "./service/transaction.ts";
import { servicesOf } from "./services.ts";
import { tokenServiceOptions } from "./token-service-options.ts";
import { DatabaseHealth } from "./store/database-health.ts";
import { ApiTokens } from "./tokens/api-token.ts";
import { SigningKeys } from "./tokens/signing-keys.ts";

/** The components that start and stop with the platform. */
export interface PlatformParts {
  /** Returns the number of open connections, for the metrics. */
  readonly connections: () => Promise<number>;
  /** Is aborted when the platform begins to stop. */
  readonly stopping: AbortSignal;
  /** Whether writes succeed. */
  readonly isWritable: () => boolean;
  readonly securityLog: SecurityLog;
  readonly auditExport: AuditExport | undefined;
}

/** What the port serves, and what a port for probes serves, too. */
export interface PlatformHandlers extends PortHandlers {
  readonly readiness: Readiness;
  readonly metrics: PlatformMetrics;
}

/**
 * Connects the components of a platform, from the database to the port. What many platforms are never asked for is loaded with the
 * first request for it: gRPC, logins, and the description of the API.
 */
export async function portHandlers(
  options: PlatformOptions,
  settings: PlatformSettings,
  { connections, stopping, isWritable, securityLog, auditExport }: PlatformParts,
): Promise<PlatformHandlers> {
  const { database, masterKey, clock, log, latency, maximumInFlight, signingKeyInterval: interval } = options;
  const { authUrl, baseUrl, errorDomain, unknownFields, deleteResponse, corsOrigins } = settings;
  const keys = await SigningKeys.load({ database, masterKey, clock, log, interval });
  const tokens = new ApiTokens(keys, authUrl, baseUrl, clock);
  const authenticator = new Authenticator(database, tokens, clock);
  const tokenService = tokenServiceOptions(options, settings, tokens, securityLog);
  const auditAccounts = new AuditAccounts(settings.quota);
  const operations = platformOperations(options, settings, { tokenService, authenticator, auditAccounts });
  const overGrpc = operations.filter(({ transports }) => transports === "all");
  const health = new DatabaseHealth(database);
  const isDatabaseUp = () => health.isUp();
  const readiness = new Readiness({ stopping, isDatabaseUp, isWritable, monotonic: () => performance.now() });
  const metrics = new PlatformMetrics({
    connections,
    maximumInFlight,
    isDatabaseUp,
    isWritable,
    certificateExpiry: () => options.listen.tls?.expiresAt,
    signingKeyCreation: () => keys.currentCreatedAt(),
    signingKeyInterval: interval,
    omittedEvents: () => securityLog.omittedEvents,
    auditExport,
  });
  const faults = new Faults(options.faults);
  const slots = new CallSlots({ maximumInFlight, onChange: (running) => metrics.inFlight.set(running) });
  const runner = new CallRunner({ metrics, log, latency, slots, faults, tracer: options.tracer, securityLog });
  const transcoder = new Transcoder(operations, { unknownFields, emptyResponse: deleteResponse });
  const documents = new DiscoveryDocuments(authUrl, keys);
  const authPath = new URL(authUrl).pathname.replace(/\/$/, "");
  const { firstSegments } = transcoder;
  // Pages of a login, metrics and fault rules are not for other pages.
  const isShared = (url: string) => {
    const path = withoutAuthPath(url, authPath);
    return isGrpcPath(path) || firstSegments.has(path.split("/")[1] ?? "") || documents.at(path) !== undefined;
  };
  return {
    readiness,
    metrics,
    crossOrigin: corsOrigins.length === 0 ? undefined : new CrossOrigin(corsOrigins, isShared),
    kindOf: kindOfRequest((path) => transcoder.serves("POST", path)),
    rpc: onDemand(async () => {
      const { grpcHandler } = await import("./grpc/grpc-handler.ts");
      return grpcHandler(overGrpc, runner, { ...settings, readiness, log });
    }),
    rejection: (rejection) => rejectionResponse(rejection, errorDomain),
    http: httpEndpoints({
      rest: restHandler(transcoder, runner, errorDomain),
      faults: options.faultInjection ? faultsHandler(faults, authenticator, errorDomain) : undefined,
      login: onDemand(async () => {
        const { loginContext } = await import("./login/login-context.ts");
        const { LoginEndpoints } = await import("./login/login-endpoints.ts");
        return new LoginEndpoints(loginContext(tokenService, auditAccounts, options), runner, database);
      }),
      documents,
      errorDomain,
      authPath,
      descriptions: onDemand(async () => {
        const { ApiDescriptions } = await import("./openapi/api-descriptions.ts");
        return new ApiDescriptions(operations, settings);
      }),
      metrics,
      readiness,
    }),
  };
}

/** The methods of all services. */
function platformOperations(
  { database, masterKey, clock }: PlatformOptions,
  settings: PlatformSettings,
  {
    tokenService,
    authenticator,
    auditAccounts,
  }: {
    readonly tokenService: SecurityTokenServiceOptions;
    readonly authenticator: Authenticator;
    readonly auditAccounts: AuditAccounts;
  },
): Operation[] {
  const pageTokens = new PageTokens(masterKey.derive("page token"));
  const transactions = new Transactions(database, clock, settings, pageTokens, auditAccounts);
  const services = [...servicesOf(transactions, masterKey), securityTokenService(tokenService)];
  return operationsOf(services, authenticator, tokenService.rateLimit);
}
