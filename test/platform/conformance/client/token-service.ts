import { SecurityTokenService } from "#src/platform/gen/muster/platform/oidc/security_token_service_pb.ts";
import type { Method } from "./api.ts";

/** Exchanges the call's bearer, a subject token, for an API token. */
export const exchange: Method = {
  http: { verb: "GET", path: "/sts/exchange" },
  rpc: SecurityTokenService.method.exchange,
};

/** Exchanges the call's bearer, a refresh token, for an API token and the next refresh token. */
export const refresh: Method = {
  http: { verb: "POST", path: "/sts/exchange_refresh_token" },
  rpc: SecurityTokenService.method.exchangeRefreshToken,
};
