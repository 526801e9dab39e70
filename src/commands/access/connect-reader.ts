import type { CommandContext } from "#src/commands/command.ts";
import { openStoredLogin } from "#src/commands/login/stored-login.ts";
import { readTextFile, SettingsError } from "#src/commands/settings/settings.ts";
import { Proxies } from "#src/http/proxies.ts";
import { isTokenText, platformKey } from "#src/login/credentials.ts";
import { readTokenClaims } from "#src/login/token-claims.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { HttpPlatformApi, type Tokens } from "#src/platform-client/http-api.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { loginTokens } from "./login-tokens.ts";
import { repeatedReads } from "./repeated-reads.ts";
import type { AccessValues } from "./settings.ts";

/** Lists are read at the same time. */
const connections = 4;

/** With what an administrator's token begins, who is not an identity, and to whom a list shows everything. */
const adminTokenPrefix = "muster-admin-";

/** A platform that can only be read. */
export interface PlatformReader {
  readonly api: ReadApi;
  /** Whether the token is an administrator's. */
  readonly seesEverything: boolean;
  /** The uids to which the token is limited; absent if it is not limited. */
  readonly scopes?: readonly string[];
  /** Closes the connections. */
  readonly close: () => Promise<void>;
}

interface Credential {
  readonly platform: string;
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
  values: Pick<AccessValues, "platformUrl" | "platformCa" | "tokenFile" | "timeout">,
  context: Pick<CommandContext, "env" | "signal" | "stderr">,
): Promise<PlatformReader> {
  const { ca, platform, tokens } = await credentialOf(values, context);
  const { value } = await tokens.token();
  const scopes = readTokenClaims(value)?.scopes;
  const transport = new HttpTransport({
    connections,
    deadlineMs: values.timeout,
    clock,
    ...(ca === undefined ? {} : { ca }),
    proxies: await Proxies.fromEnvironment(context.env),
    canWrite: () => false,
  });
  return {
    api: repeatedReads(new HttpPlatformApi(transport, tokens, new URL(platform)), clock),
    ...(scopes === undefined ? {} : { scopes }),
    seesEverything: value.startsWith(adminTokenPrefix),
    close: () => transport.close(),
  };
}

async function credentialOf(
  values: Pick<AccessValues, "platformUrl" | "platformCa" | "tokenFile">,
  context: Pick<CommandContext, "env" | "signal" | "stderr">,
): Promise<Credential> {
  const { platformUrl, tokenFile } = values;
  if (tokenFile === undefined) {
    const { http, platform, session } = await openStoredLogin(values, context);
    return { platform, tokens: loginTokens(session), ca: http.ca };
  }
  if (platformUrl === undefined)
    throw new SettingsError(["--platform-url (or MUSTER_PLATFORM_URL) is required with --token-file"]);
  const token = (await readTextFile("--token-file", tokenFile)).trim();
  if (!isTokenText(token))
    throw new Error(`--token-file: ${tokenFile} does not contain a token on one line: write the token alone to it`);
  return {
    platform: platformKey(platformUrl),
    tokens: { token: async () => ({ value: token, epoch: 0 }), reject: () => false },
    ca: values.platformCa === undefined ? undefined : await readTextFile("--platform-ca", values.platformCa),
  };
}
