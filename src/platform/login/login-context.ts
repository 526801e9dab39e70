import { create } from "@bufbuild/protobuf";
import type { WallClock } from "#src/time/wall-clock.ts";
import type { AuditAccounts } from "../audit/audit-accounts.ts";
import type { SecurityLog } from "../audit/security-log.ts";
import {
  ExchangeRefreshTokenRequestSchema,
  type TokenPair,
} from "../gen/muster/platform/oidc/security_token_service_pb.ts";
import { refresh, type SecurityTokenServiceOptions } from "../oidc/security-token-service.ts";
import type { HttpRequest, WholeResponse } from "../server/http-handler.ts";
import type { CallSlot } from "../service/call-slots.ts";
import type { PlatformSettings } from "../service/platform-settings.ts";
import type { AnonymousCall } from "../service/service.ts";
import type { ApiTokens } from "../tokens/api-token.ts";
import type { MasterKey } from "../tokens/master-key.ts";
import { AttemptLimit } from "./attempt-limit.ts";
import type { CallDatabase } from "./call-database.ts";
import { OpenIdProviders } from "./open-id-providers.ts";
import type { Parameters } from "./parameters.ts";
import { PendingLogins } from "./pending-login.ts";

/** What the endpoints of a login share. */
export interface LoginContext {
  readonly tokens: ApiTokens;
  readonly settings: PlatformSettings;
  readonly clock: WallClock;
  readonly securityLog: SecurityLog;
  readonly pending: PendingLogins;
  readonly providers: OpenIdProviders;
  readonly attempts: AttemptLimit;
  readonly auditAccounts: AuditAccounts;
  /** Uses a refresh token. @throws ApiError */
  readonly refresh: (call: AnonymousCall) => Promise<TokenPair>;
}

export function loginContext(
  tokenService: SecurityTokenServiceOptions,
  auditAccounts: AuditAccounts,
  { masterKey, maximumIssuerRequests }: { readonly masterKey: MasterKey; readonly maximumIssuerRequests: number },
): LoginContext {
  const { tokens, settings, clock, issuerKeys, log, securityLog } = tokenService;
  const providers = new OpenIdProviders({
    trusted: settings.trustedIssuers,
    issuerKeys,
    masterKey,
    clock,
    log,
    fetch: tokenService.fetch,
    maximumRequests: maximumIssuerRequests,
  });
  return {
    tokens,
    settings,
    clock,
    securityLog,
    providers,
    pending: new PendingLogins(masterKey, settings.authUrl),
    attempts: new AttemptLimit(clock),
    auditAccounts,
    refresh: (call) => refresh(tokenService, create(ExchangeRefreshTokenRequestSchema), call),
  };
}

/** A request to an endpoint of a login. */
export interface LoginCall {
  readonly request: HttpRequest;
  /** Those of the query for GET, and of the form for POST. */
  readonly parameters: Parameters;
  /** The address of the client. */
  readonly address: string;
  readonly slot: CallSlot;
  readonly database: CallDatabase;
}

export type LoginHandler = (call: LoginCall) => Promise<WholeResponse>;

/** The path of a page as browsers use it, behind the path of the token service's URL. */
export function pathIn({ authUrl }: PlatformSettings, path: string): string {
  return `${new URL(authUrl).pathname.replace(/\/$/, "")}${path}`;
}
