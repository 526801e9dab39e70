import { asciiLowerCase } from "#src/text/ascii-case.ts";
import { hours, seconds } from "#src/time/durations.ts";
import { isTokenText, type LoginTokens } from "./credentials.ts";
import { LoginFailure } from "./login-failure.ts";

/** Times in a response are at most this long, so that no sum leaves the range of dates. */
const maxLifetimeMs = hours(24 * 366);

/**
 * The tokens of a response of `{auth_url}/token` (RFC 6749, section 5.1). Lifetimes count from `now`, so that the clocks of
 * both machines need not agree.
 * @throws {LoginFailure} if the response does not contain what the platform promises
 */
export function parseTokenResponse(body: Readonly<Record<string, unknown>>, now: number): LoginTokens {
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type } = body;
  if (!isTokenText(accessToken)) throw invalid("does not contain a token");
  if (typeof type !== "string" || asciiLowerCase(type) !== "bearer") throw invalid("does not contain a bearer token");
  const lifetimeMs = lifetimeOf(body["expires_in"]);
  if (lifetimeMs === undefined) throw invalid("does not say when the token expires");
  if (refreshToken !== undefined && !isTokenText(refreshToken)) throw invalid("contains an invalid refresh token");
  const loginMs = lifetimeOf(body["refresh_token_expires_in"]);
  return {
    accessToken,
    expiresAt: now + lifetimeMs,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(refreshToken === undefined || loginMs === undefined ? {} : { endsAt: now + loginMs }),
  };
}

/** The milliseconds of a number of seconds; undefined if it is not one. */
export function lifetimeOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? Math.min(seconds(value), maxLifetimeMs) : undefined;
}

function invalid(what: string): LoginFailure {
  return new LoginFailure(`the response of the token service ${what}`, { kind: "unavailable" });
}
