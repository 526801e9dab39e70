import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { unimplemented } from "../errors/api-error.ts";
import { SecurityTokenService } from "../gen/muster/platform/oidc/security_token_service_pb.ts";
import { implementAnonymous, type Service } from "../service/service.ts";
import type { PlatformSettings } from "../settings.ts";
import type { Store } from "../store/store.ts";
import type { ApiTokens } from "./api-token.ts";

export interface SecurityTokenParts {
  readonly store: Store;
  readonly tokens: ApiTokens;
  readonly settings: PlatformSettings;
  readonly clock: Clock;
  readonly log: Logger;
}

export function securityTokenService(_: SecurityTokenParts): Service {
  return implementAnonymous(SecurityTokenService, {
    exchange: () => Promise.reject(unimplemented("exchange")),
    exchangeRefreshToken: () => Promise.reject(unimplemented("exchange")),
  });
}
