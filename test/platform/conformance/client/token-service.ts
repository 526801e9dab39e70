import { SecurityTokenService } from "#src/platform/gen/muster/platform/oidc/security_token_service_pb.ts";
import type { Method } from "./api.ts";

/** Gives an API token for a token of an identity's issuer, which is the bearer of the call. */
export const exchange: Method = {
  http: { verb: "GET", path: "/sts/exchange" },
  rpc: SecurityTokenService.method.exchange,
};

/** Gives an API token and the next refresh token for a refresh token, which is the bearer of the call. */
export const refresh: Method = {
  http: { verb: "POST", path: "/sts/exchange_refresh_token" },
  rpc: SecurityTokenService.method.exchangeRefreshToken,
};
