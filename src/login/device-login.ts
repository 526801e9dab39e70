import type { Clock } from "#src/time/clock.ts";
import { minutes, seconds } from "#src/time/durations.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { LoginTokens } from "./credentials.ts";
import { isRefusal, LoginFailure } from "./login-failure.ts";
import { type LoginRequest, loginParameters } from "./login-request.ts";
import { lifetimeOf } from "./token-response.ts";

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

const defaultIntervalMs = seconds(5);
const maxIntervalMs = minutes(1);
const maxLifetimeMs = minutes(30);

/** What a person types, and where. */
export interface DeviceCode {
  readonly userCode: string;
  /** Never the address that contains the code: a person who is sent such a link would log somebody else in. */
  readonly verificationUri: string;
  readonly lifetimeMs: number;
}

export interface DeviceLoginOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly show: (code: DeviceCode) => void;
}

/**
 * Logs a person in who uses a browser on any machine (RFC 8628).
 * @throws {LoginFailure} or the reason of the signal
 */
export async function logInWithDevice(
  server: AuthorizationServer,
  request: LoginRequest,
  { clock, show, signal }: DeviceLoginOptions,
): Promise<LoginTokens> {
  const response = await server.requestDeviceCode(loginParameters(request), signal);
  const { deviceCode, intervalMs, ...code } = parseDeviceResponse(response, server.issuer);
  const deadline = clock.monotonic() + code.lifetimeMs;
  show(code);
  for (let pauseMs = intervalMs; ; ) {
    await clock.sleep(pauseMs, signal);
    try {
      return await server.requestTokens(
        [
          ["grant_type", deviceGrant],
          ["device_code", deviceCode],
        ],
        signal,
      );
    } catch (error) {
      pauseMs = pauseAfter(error, pauseMs);
    }
    if (clock.monotonic() + pauseMs > deadline)
      throw new LoginFailure("the code was not confirmed in time; run the command again for a new one", {
        kind: "refused",
        error: "expired_token",
      });
  }
}

/** The pause before the next request (RFC 8628, section 3.5). @throws what ends the login */
function pauseAfter(error: unknown, pauseMs: number): number {
  if (isRefusal(error, "authorization_pending")) return pauseMs;
  if (isRefusal(error, "slow_down")) return Math.min(pauseMs + seconds(5), maxIntervalMs);
  if (error instanceof LoginFailure && error.problem.kind === "unavailable")
    return Math.min(Math.max(pauseMs * 2, error.problem.retryAfterMs ?? 0), maxIntervalMs);
  throw error;
}

function parseDeviceResponse(
  body: Readonly<Record<string, unknown>>,
  issuer: string,
): DeviceCode & { readonly deviceCode: string; readonly intervalMs: number } {
  const { device_code: deviceCode, user_code: userCode, verification_uri: verificationUri, interval } = body;
  const lifetimeMs = lifetimeOf(body["expires_in"]);
  const uri = typeof verificationUri === "string" ? URL.parse(verificationUri) : null;
  if (
    typeof deviceCode !== "string" ||
    !/^[\x21-\x7e]{1,4096}$/.test(deviceCode) ||
    typeof userCode !== "string" ||
    // It is printed for a person, who types it.
    !/^[\w -]{1,64}$/.test(userCode) ||
    uri === null ||
    uri.origin !== new URL(issuer).origin ||
    lifetimeMs === undefined
  )
    throw new LoginFailure(
      `the response of ${issuer} does not contain a code and an address of ${issuer} to type it at`,
      {
        kind: "unavailable",
      },
    );
  return {
    deviceCode,
    userCode,
    verificationUri: uri.href,
    lifetimeMs: Math.min(lifetimeMs, maxLifetimeMs),
    intervalMs: Math.min(lifetimeOf(interval) ?? defaultIntervalMs, maxIntervalMs),
  };
}
