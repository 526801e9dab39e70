import type { CommandContext } from "#src/commands/command.ts";
import { openStoredLogin } from "#src/commands/login/stored-login.ts";
import { readTokenFile } from "#src/commands/login/token-file.ts";
import { readTextFile } from "#src/commands/settings/settings.ts";
import { Proxies } from "#src/http/proxies.ts";
import { platformKey } from "#src/login/credentials.ts";
import type { LoginSession } from "#src/login/login-session.ts";
import { readTokenClaims, type TokenClaims } from "#src/login/token-claims.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { fixedToken, type Tokens } from "#src/platform-client/http-api.ts";
import { subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { type PodIdentityValues, podIdentityOf } from "./pod-identity.ts";
import { readOnlyPlatform, type ReadOnlyPlatformOptions } from "./read-only-platform.ts";

/** With what an administrator's token begins, who is not an identity, and to whom a list shows everything. */
const adminTokenPrefix = "muster-admin-";

export interface ReaderValues extends PodIdentityValues {
  readonly platformCa: string | undefined;
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
  readonly tokens: ReadOnlyPlatformOptions["tokens"];
  readonly ca: string | undefined;
}

/**
 * Connects to the platform with the token of `--token-file`, with the operator's identity in its pod, or with the person's
 * login. Nothing but GET requests is ever sent.
 * @param capabilities what a token of the operator's identity is limited to, by dotted names; absent: nothing
 * @throws {NotLoggedIn}
 * @throws {SettingsError}
 */
export async function connectReader(
  values: ReaderValues,
  context: Pick<CommandContext, "env" | "signal" | "stderr">,
  capabilities?: readonly string[],
): Promise<PlatformReader> {
  const { ca, tokens, ...urls } = await credentialOf(values, context, capabilities ?? []);
  const { api, close, ...source } = readOnlyPlatform({
    platformUrl: urls.platformUrl,
    deadlineMs: values.timeout,
    ca,
    proxies: await Proxies.fromEnvironment(context.env),
    tokens,
  });
  const value = await valueOf(source.tokens, close);
  return { ...urls, api, claims: readTokenClaims(value), seesEverything: value.startsWith(adminTokenPrefix), close };
}

/** The first token. Without one, nothing is left open. */
async function valueOf(tokens: Tokens, close: () => Promise<void>): Promise<string> {
  try {
    return (await tokens.token()).value;
  } catch (error) {
    await close();
    throw error;
  }
}

async function credentialOf(
  values: ReaderValues,
  context: Pick<CommandContext, "env" | "signal" | "stderr">,
  capabilities: readonly string[],
): Promise<Credential> {
  const { platformCa, platformUrl, tokenFile } = values;
  const inPod = podIdentityOf(values, context);
  if (inPod !== undefined) {
    const { authUrl, identity, subjectTokenFile: file } = inPod;
    const url = new URL(platformKey(inPod.platformUrl));
    const readSubjectToken = subjectTokenFile(file);
    const options = { authUrl, audience: platformKey(url), identity, capabilities, readSubjectToken, clock };
    const ca = await caOf(platformCa);
    return { platformUrl: url, authUrl, ca, tokens: (transport) => new TokenSource(transport, options) };
  }
  if (tokenFile === undefined) {
    const { http, platform, login, session } = await openStoredLogin(values, context);
    const tokens = loginTokens(session);
    return { platformUrl: new URL(platform), authUrl: new URL(login.authUrl), tokens: () => tokens, ca: http.ca };
  }
  const { platform, token } = await readTokenFile(tokenFile, platformUrl);
  const url = new URL(platform);
  return {
    platformUrl: url,
    authUrl: url,
    tokens: () => fixedToken(token),
    ca: await caOf(platformCa),
  };
}

/** The tokens of a person's login, of which the platform may reject one: it is then renewed once. */
function loginTokens(session: Pick<LoginSession, "tokens">): Tokens {
  let rejected: string | undefined;
  return {
    token: async () => ({ value: (await session.tokens(rejected)).accessToken, epoch: rejected === undefined ? 0 : 1 }),
    reject: ({ value, epoch }) => {
      if (epoch > 0) return false;
      rejected = value;
      return true;
    },
  };
}

async function caOf(platformCa: string | undefined): Promise<string | undefined> {
  return platformCa === undefined ? undefined : readTextFile("--platform-ca", platformCa);
}
