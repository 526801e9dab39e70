import type { CommandContext } from "#src/commands/command.ts";
import { openStoredLogin } from "#src/commands/login/stored-login.ts";
import { readTextFile, SettingsError } from "#src/commands/settings/settings.ts";
import { Proxies } from "#src/http/proxies.ts";
import { isTokenText, platformKey } from "#src/login/credentials.ts";
import { readTokenClaims, type TokenClaims } from "#src/login/token-claims.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { HttpPlatformApi, type Tokens } from "#src/platform-client/http-api.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { loginTokens } from "./login-tokens.ts";
import { repeatedReads } from "./repeated-reads.ts";

/** Lists are read at the same time. */
const connections = 4;

/** With what an administrator's token begins, who is not an identity, and to whom a list shows everything. */
const adminTokenPrefix = "muster-admin-";

export interface ReaderValues {
  readonly platformUrl: URL | undefined;
  readonly platformCa: string | undefined;
  readonly tokenFile: string | undefined;
  /** Of one call (ms). */
  readonly timeout: number;
}

/** A platform that can only be read. */
export interface PlatformReader {
  readonly api: ReadApi;
  readonly platformUrl: URL;
  /** The token service of the login; the platform, if there is none. */
  readonly authUrl: URL;
  /** What the token says of itself; undefined if it does not say it in the form of the platform's tokens. */
  readonly claims: TokenClaims | undefined;
  /** Whether the token is an administrator's. */
  readonly seesEverything: boolean;
  /** Closes the connections. */
  readonly close: () => Promise<void>;
}

interface Credential extends Pick<PlatformReader, "platformUrl" | "authUrl"> {
  readonly tokens: Tokens;
  readonly ca: string | undefined;
}

/**
 * Connects to the platform with the token of `--token-file`, or with the person's login. Nothing but GET requests is ever
 * sent: the API has no other methods, and the transport refuses them.
 * @throws {NotLoggedIn}
 * @throws {SettingsError}
 */
export async function connectReader(
  values: ReaderValues,
  context: Pick<CommandContext, "env" | "signal" | "stderr">,
): Promise<PlatformReader> {
  const { ca, tokens, ...urls } = await credentialOf(values, context);
  const { value } = await tokens.token();
  const transport = new HttpTransport({
    connections,
    deadlineMs: values.timeout,
    clock,
    ...(ca === undefined ? {} : { ca }),
    proxies: await Proxies.fromEnvironment(context.env),
    canWrite: () => false,
  });
  return {
    ...urls,
    api: repeatedReads(new HttpPlatformApi(transport, tokens, urls.platformUrl), clock),
    claims: readTokenClaims(value),
    seesEverything: value.startsWith(adminTokenPrefix),
    close: () => transport.close(),
  };
}

async function credentialOf(
  values: ReaderValues,
  context: Pick<CommandContext, "env" | "signal" | "stderr">,
): Promise<Credential> {
  const { platformUrl, tokenFile } = values;
  if (tokenFile === undefined) {
    const { http, platform, login, session } = await openStoredLogin(values, context);
    const tokens = loginTokens(session);
    return { platformUrl: new URL(platform), authUrl: new URL(login.authUrl), tokens, ca: http.ca };
  }
  if (platformUrl === undefined)
    throw new SettingsError(["--platform-url (or MUSTER_PLATFORM_URL) is required with --token-file"]);
  const token = (await readTextFile("--token-file", tokenFile)).trim();
  if (!isTokenText(token))
    throw new Error(`--token-file: ${tokenFile} does not contain a token on one line: write the token alone to it`);
  const url = new URL(platformKey(platformUrl));
  return {
    platformUrl: url,
    authUrl: url,
    tokens: { token: async () => ({ value: token, epoch: 0 }), reject: () => false },
    ca: values.platformCa === undefined ? undefined : await readTextFile("--platform-ca", values.platformCa),
  };
}
