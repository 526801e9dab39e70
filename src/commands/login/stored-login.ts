import type { CommandContext } from "#src/commands/command.ts";
import { readTextFile } from "#src/commands/settings/settings.ts";
import type { HttpClientOptions } from "#src/http/http-client.ts";
import { AuthorizationServer } from "#src/login/authorization-server.ts";
import { type Credentials, type Login, platformKey } from "#src/login/credentials.ts";
import { CredentialsFile } from "#src/login/credentials-file.ts";
import { loginOf, LoginSession, NotLoggedIn } from "#src/login/login-session.ts";
import { configFolder } from "#src/login/private-folder.ts";
import { systemClock } from "#src/time/clock.ts";
import type { LoginValues } from "./settings.ts";

/** The login that a command uses. */
export interface StoredLogin {
  readonly file: CredentialsFile;
  /** The API URL of the platform; see `platformKey`. */
  readonly platform: string;
  readonly login: Login;
  readonly session: LoginSession;
  /** For requests to the platform and its token service. */
  readonly http: HttpClientOptions;
}

export function credentialsFile({ env }: Pick<CommandContext, "env">): CredentialsFile {
  return new CredentialsFile(configFolder(env));
}

/**
 * Opens the login that the settings name, or the current one.
 * @throws {NotLoggedIn} and what is wrong with the credentials file
 */
export async function openStoredLogin(
  values: LoginValues,
  context: Pick<CommandContext, "env" | "signal" | "stderr">,
): Promise<StoredLogin> {
  const file = credentialsFile(context);
  const credentials = file.read();
  const platform = values.platformUrl === undefined ? currentOf(credentials) : platformKey(values.platformUrl);
  const login = loginOf(platform, credentials.logins);
  const http = await httpOptions(values.platformCa ?? login.platformCa, context);
  const session = new LoginSession({
    file,
    platform,
    clock: systemClock,
    signal: context.signal,
    discover: ({ authUrl }, signal) => AuthorizationServer.discover({ ...http, authUrl }, signal),
    warn: (message) => void context.stderr.write(`muster: warning: ${message}\n`),
  });
  return { file, platform, login, session, http };
}

/** @param platformCa a file with certificate authorities */
export async function httpOptions(
  platformCa: string | undefined,
  { env }: Pick<CommandContext, "env">,
): Promise<HttpClientOptions> {
  const ca = platformCa === undefined ? undefined : await readTextFile("--platform-ca", platformCa);
  return { env, clock: systemClock, ...(ca === undefined ? {} : { ca }) };
}

function currentOf({ current, logins }: Credentials): string {
  if (current !== undefined) return current;
  throw new NotLoggedIn(
    logins.size === 0
      ? "you are not logged in. Log in: muster login --platform-url URL --group UID. Where a command has --token-file, you can give a token of the platform instead: --platform-url URL --token-file FILE"
      : `you are not logged in to the platform that you used last. Name one of the others with --platform-url: ${[...logins.keys()].join(", ")}`,
  );
}
