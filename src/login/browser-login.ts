import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { CallbackListener } from "./callback-listener.ts";
import type { LoginTokens } from "./credentials.ts";
import { LoginFailure } from "./login-failure.ts";
import { type LoginRequest, loginParameters } from "./login-request.ts";

/** How long a person has for the pages of the login. */
export const browserTimeLimitMs = minutes(5);

export interface BrowserLoginOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Called once, when the listener waits.
   * @param address where the person logs in: for the terminal only
   * @param link leads there once: for the arguments of a process
   */
  readonly show: (address: URL, link: string) => void;
}

/**
 * Logs a person in with the browser of this machine: authorization code with PKCE, and a redirect to this process (RFC 8252).
 * @throws {LoginFailure} or the reason of the signal
 */
export async function logInWithBrowser(
  server: AuthorizationServer,
  request: LoginRequest,
  { clock, show, signal }: BrowserLoginOptions,
): Promise<LoginTokens> {
  const verifier = randomText();
  const state = randomText();
  const listener = await CallbackListener.listen({ state, issuer: server.issuer });
  try {
    const { redirectUri } = listener;
    const address = server.authorizationUrl([
      ["response_type", "code"],
      ["redirect_uri", redirectUri],
      ["code_challenge", createHash("sha256").update(verifier).digest("base64url")],
      ["code_challenge_method", "S256"],
      ["state", state],
      ...loginParameters(request),
    ]);
    show(address, listener.linkTo(address));
    const code = await codeOf(listener, clock, signal);
    return await server.requestTokens(
      [
        ["grant_type", "authorization_code"],
        ["code", code],
        ["redirect_uri", redirectUri],
        ["code_verifier", verifier],
      ],
      signal,
    );
  } finally {
    await listener.close();
  }
}

/** 256 bits. */
function randomText(): string {
  return randomBytes(32).toString("base64url");
}

/** Waits for the browser. @throws {LoginFailure} if there is no code in time, or the reason of `signal` */
async function codeOf({ authorization }: CallbackListener, clock: Clock, signal: AbortSignal): Promise<string> {
  const waiting = new AbortController();
  const timeLimit = clock.sleep(browserTimeLimitMs, AbortSignal.any([signal, waiting.signal])).then(() => undefined);
  try {
    const received = await Promise.race([authorization, timeLimit]);
    if (received === undefined)
      throw new LoginFailure(
        `the browser did not respond within ${browserTimeLimitMs / 60_000} minutes; run the command again, or with --headless if the browser is on another machine`,
        { kind: "refused", error: "expired_token" },
      );
    switch (received.kind) {
      case "code":
        return received.code;
      case "error":
        throw new LoginFailure(`the platform refused: ${received.message}`, { kind: "refused", error: received.error });
      case "forged":
        throw new LoginFailure(`${received.message}; somebody may have interfered, so nobody is logged in`, {
          kind: "refused",
          error: "access_denied",
        });
    }
  } finally {
    waiting.abort();
    timeLimit.catch(() => undefined);
  }
}
