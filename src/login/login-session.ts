import type { Clock } from "#src/time/clock.ts";
import { minutes, seconds } from "#src/time/durations.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { type Login, type LoginTokens, withLogin } from "./credentials.ts";
import type { CredentialsChange, CredentialsFile } from "./credentials-file.ts";
import { isRefusal } from "./login-failure.ts";

/** A token is renewed while this much of its life is left, so that a platform that is away for a moment does no harm. */
const renewalMs = minutes(1);

/** A token that expires sooner may expire on its way. */
const minimumMs = seconds(10);

/** Nobody is logged in to the platform. The message says how to log in. */
export class NotLoggedIn extends Error {
  override readonly name = "NotLoggedIn";
}

export interface LoginSessionOptions {
  readonly file: CredentialsFile;
  /** The key of the login; see `platformKey`. */
  readonly platform: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reads the discovery document of the login's token service. */
  readonly discover: (login: Login, signal: AbortSignal) => Promise<AuthorizationServer>;
  /** Reports what a person should know, although the command goes on: one line. */
  readonly warn: (message: string) => void;
}

/** The current token of a login, renewed when it is about to expire. */
export class LoginSession {
  readonly #options: LoginSessionOptions;

  constructor(options: LoginSessionOptions) {
    this.#options = options;
  }

  /**
   * The tokens of the login, valid for at least 10 s by the clock of this machine.
   * @param rejected an access token that the platform does not accept, whatever the clock says
   * @throws {NotLoggedIn} if there is no login, or it has ended
   * @throws {LoginFailure} if the token has expired and cannot be renewed now
   */
  async tokens(rejected?: string): Promise<LoginTokens> {
    const { clock, file, platform, signal, warn } = this.#options;
    const known = tokensIn(loginOf(platform, file.read().logins), platform);
    if (this.#isFresh(known, renewalMs, rejected)) return known;
    const usable = this.#isFresh(known, minimumMs, rejected);
    try {
      return await file.change({ clock, signal }, (change) => this.#renew(change, rejected));
    } catch (error) {
      if (!usable || error instanceof NotLoggedIn || signal.aborted) throw error;
      warn(`the login could not be renewed, and its token expires at ${iso(known.expiresAt)}: ${messageOf(error)}`);
      return known;
    }
  }

  #isFresh({ accessToken, expiresAt }: LoginTokens, remainingMs: number, rejected: string | undefined): boolean {
    return accessToken !== rejected && expiresAt - this.#options.clock.now() > remainingMs;
  }

  async #renew({ credentials, save }: CredentialsChange, rejected: string | undefined): Promise<LoginTokens> {
    const { discover, platform, signal, warn } = this.#options;
    const login = loginOf(platform, credentials.logins);
    const tokens = tokensIn(login, platform);
    // Another process may have renewed it while this one waited for the lock.
    if (this.#isFresh(tokens, renewalMs, rejected)) return tokens;
    const { refreshToken } = tokens;
    if (refreshToken === undefined) {
      if (this.#isFresh(tokens, minimumMs, rejected)) return tokens;
      throw new NotLoggedIn(
        `the login to ${platform} ${rejected === tokens.accessToken ? "is no longer accepted" : `lasted until ${iso(tokens.expiresAt)}`}. ${howToLogIn(platform)}`,
      );
    }
    const server = await discover(login, signal);
    let renewed: LoginTokens;
    try {
      // Without the signal: a response that nobody reads would lose the next refresh token, and with it the login.
      renewed = await server.requestTokens(
        [
          ["grant_type", "refresh_token"],
          ["refresh_token", refreshToken],
        ],
        new AbortController().signal,
      );
    } catch (error) {
      if (isRefusal(error, "invalid_grant")) {
        // The platform decides when a login ends, and not the clock of this machine.
        const { tokens: _, ...rest } = login;
        save(withLogin(credentials, platform, rest));
        throw new NotLoggedIn(`the login to ${platform} has ended (${error.message}). ${howToLogIn(platform)}`);
      }
      throw error;
    }
    // A server need not rotate, nor repeat when the login ends.
    const next: LoginTokens = {
      refreshToken,
      ...(tokens.endsAt === undefined ? {} : { endsAt: tokens.endsAt }),
      ...renewed,
    };
    try {
      save(withLogin(credentials, platform, { ...login, tokens: next }));
    } catch (error) {
      warn(`the renewed login is lost after this command; then log in again: muster login. ${messageOf(error)}`);
    }
    signal.throwIfAborted();
    return next;
  }
}

/** @throws {NotLoggedIn} */
export function loginOf(platform: string, logins: ReadonlyMap<string, Login>): Login {
  const login = logins.get(platform);
  if (login === undefined)
    throw new NotLoggedIn(`you are not logged in to ${platform}. ${howToLogIn(platform)} --group UID`);
  return login;
}

function tokensIn({ tokens }: Login, platform: string): LoginTokens {
  if (tokens === undefined) throw new NotLoggedIn(`the login to ${platform} has ended. ${howToLogIn(platform)}`);
  return tokens;
}

function howToLogIn(platform: string): string {
  return `Log in: muster login --platform-url ${platform}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
