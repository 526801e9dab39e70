import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import { retainAuditLog } from "./audit/audit-retention.ts";
import type { FaultRule } from "./faults/fault-rule.ts";
import { Faults } from "./faults/faults.ts";
import { grpcHandler, isGrpcPath, isStreamPath } from "./grpc/grpc-handler.ts";
import { initialize } from "./initialize.ts";
import { DiscoveryDocuments } from "./oidc/discovery-documents.ts";
import { securityTokenService } from "./oidc/security-token-service.ts";
import { ApiDescriptions } from "./openapi/api-descriptions.ts";
import { PageTokens } from "./resources/page-token.ts";
import { faultsHandler } from "./rest/faults-handler.ts";
import { rejectionResponse, restHandler } from "./rest/rest-handler.ts";
import { Transcoder } from "./rest/transcoder.ts";
import type { HttpRequest, HttpResponse } from "./server/http-handler.ts";
import { HttpServer, type ListenOptions, type PortHandlers } from "./server/http-server.ts";
import { Authenticator } from "./service/authenticator.ts";
import { CallRunner } from "./service/call-runner.ts";
import { operationsOf } from "./service/operations.ts";
import { PlatformMetrics } from "./service/platform-metrics.ts";
import type { PlatformSettings } from "./service/platform-settings.ts";
import { RateLimit } from "./service/rate-limit.ts";
import { Sessions } from "./service/session.ts";
import { servicesOf } from "./services.ts";
import type { Database } from "./store/database.ts";
import { ApiTokens } from "./tokens/api-token.ts";
import { IssuerKeys } from "./tokens/issuer-keys.ts";
import type { MasterKey } from "./tokens/key-file.ts";
import { SigningKeys } from "./tokens/signing-keys.ts";

export interface PlatformOptions {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly clock: WallClock;
  readonly log: Logger;
  readonly listen: ListenOptions;
  readonly adminTokenFile: string;
  /** Milliseconds by which each response of the API is delayed. */
  readonly latency: number;
  /** The maximum number of concurrent API calls. More fail with code 8. */
  readonly maximumInFlight: number;
  /** Milliseconds between the creation of two keys that sign API tokens. */
  readonly signingKeyInterval: number;
  /** Milliseconds after which records of the audit log are deleted; undefined to keep them. */
  readonly auditRetention: number | undefined;
  /** The maximum number of calls per second of each identity; undefined for no limit. */
  readonly rateLimit: number | undefined;
  /** The initial fault rules, for testing clients. */
  readonly faults: readonly FaultRule[];
  /** Whether the admin can change fault rules at run time (`/faults`). */
  readonly faultInjection: boolean;
  /** Milliseconds for which a stopping platform serves calls while it is unready. */
  readonly drainDelay: number;
  /** @param url of the port, from which the addresses default that are not configured */
  readonly settings: (url: string) => PlatformSettings;
}

/** A running platform. */
export interface Platform {
  /** The address of the port: `127.0.0.1:8080`. */
  readonly address: string;
  readonly url: string;
  readonly settings: PlatformSettings;
  readonly rootGroup: string;
  /** Becomes unready, drains, stops accepting calls, completes running ones and closes the database. */
  readonly close: () => Promise<void>;
}

/** The time that running calls get to complete when the platform stops (ms). */
const drainMilliseconds = 8_000;

/** Starts a platform: connects the components, listens, and initializes the database. @throws Error */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { database, clock, log, listen } = options;
  const handler = Promise.withResolvers<PortHandlers>();
  // Requests that await it receive the error. Without a request, it must not be an unhandled rejection.
  handler.promise.catch(() => {});
  const server = await HttpServer.listen(listen, handler.promise);
  try {
    const settings = options.settings(server.url);
    const { rootGroup, created } = await initialize(database, options.adminTokenFile, clock());
    const { masterKey, signingKeyInterval: interval } = options;
    const keys = await SigningKeys.load({ database, masterKey, clock, log, interval });
    const tokens = new ApiTokens(keys, settings.authUrl, settings.baseUrl, clock);
    const pageTokens = new PageTokens(options.masterKey.derive("page token"));
    const sessions = new Sessions(database, clock, settings, pageTokens);
    const issuerKeys = new IssuerKeys(settings.trustedIssuers, clock);
    const metrics = new PlatformMetrics(() => server.connections());
    const authenticator = new Authenticator(database, tokens);
    const rateLimit = options.rateLimit === undefined ? undefined : new RateLimit(options.rateLimit, clock);
    const operations = operationsOf(
      [
        ...servicesOf(sessions, options.masterKey),
        securityTokenService({ database, tokens, issuerKeys, rateLimit, settings, clock, log }),
      ],
      authenticator,
      rateLimit,
    );
    const transcoder = new Transcoder(operations, {
      unknownFields: settings.unknownFields,
      emptyResponse: settings.deleteResponse,
    });
    const { latency, maximumInFlight } = options;
    const faults = new Faults(options.faults);
    const runner = new CallRunner({ metrics, log, latency, maximumInFlight, faults });
    const rest = restHandler(transcoder, runner, settings.errorDomain);
    const stopping = new AbortController();
    const rpc = grpcHandler(operations, runner, { ...settings, stopping: stopping.signal, log });
    const documents = new DiscoveryDocuments(settings.authUrl, keys);
    const descriptions = new ApiDescriptions(operations, settings);
    handler.resolve({
      kindOf: (path) => (isStreamPath(path) ? "stream" : isGrpcPath(path) ? "rpc" : "http"),
      rpc,
      rejection: (rejection) => rejectionResponse(rejection, settings.errorDomain),
      http: async (request, readBody) => {
        const path = pathOf(request);
        if (path === "/livez") return text(200, "ok");
        if (path === "/readyz") return stopping.signal.aborted ? text(503, "stopping") : text(200, "ok");
        if (path === "/metrics") return text(200, await metrics.registry.metrics());
        const document = request.method === "GET" ? await documents.at(path) : undefined;
        if (document !== undefined) return json(document);
        if (request.method === "GET" && path === "/openapi.json") return json(descriptions.openApi);
        if (request.method === "GET" && path === "/docs") return html(descriptions.page);
        if (options.faultInjection && path === "/faults")
          return faultsHandler(faults, authenticator, settings.errorDomain)(request, readBody);
        return rest(request, readBody);
      },
    });
    if (created) log.info({ rootGroup, adminTokenFile: options.adminTokenFile }, "root group and admin token created");
    const stopRetention =
      options.auditRetention === undefined
        ? undefined
        : retainAuditLog({ database, age: options.auditRetention, clock, log });
    return {
      address: server.address,
      url: server.url,
      settings,
      rootGroup,
      close: async () => {
        stopping.abort();
        // Load balancers need some time to notice that this replica is unready.
        await wait(options.drainDelay);
        await server.close(drainMilliseconds);
        await stopRetention?.();
        await database.close();
      },
    };
  } catch (error) {
    handler.reject(error);
    await server.close(0);
    throw error;
  }
}

function pathOf({ url = "/" }: HttpRequest): string {
  const mark = url.indexOf("?");
  return mark < 0 ? url : url.slice(0, mark);
}

function text(status: number, body: string): HttpResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** An HTML response with a policy that forbids loading any resource. */
function html(body: string): HttpResponse {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
    body,
  };
}

function json(body: string): HttpResponse {
  return { status: 200, headers: { "content-type": "application/json", "cache-control": "public, max-age=60" }, body };
}
