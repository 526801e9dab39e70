import type { Parameters } from "./authorization-server.ts";
import type { LoginRoute } from "./credentials.ts";

/** What a person asks for with a login. */
export interface LoginRequest {
  readonly through: LoginRoute;
  /** Empty: the platform's own audience. */
  readonly audiences: readonly string[];
  /** The code of an invite to redeem. Secret until it is used. */
  readonly invite: string | undefined;
}

/** The parameters that say it, for the authorization endpoint and for the one of devices. */
export function loginParameters({ through, audiences, invite }: LoginRequest): Parameters {
  return [
    "group" in through ? ["group", through.group] : ["identity_provider", through.identityProvider],
    ...audiences.map((audience) => ["audience", audience] as const),
    ...(invite === undefined ? [] : [["invite", invite] as const]),
  ];
}
