import type { CommandContext } from "#src/commands/command.ts";
import { openStoredLogin } from "#src/commands/login/stored-login.ts";
import { readTextFile, SettingsError } from "#src/commands/settings/settings.ts";
import { Proxies } from "#src/http/proxies.ts";
import { readTokenClaims } from "#src/login/token-claims.ts";
import { HttpPlatformApi, type Tokens } from "#src/platform-client/http-api.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import type { PlanValues } from "./settings.ts";

/** The platform, as the person sees it who plans. */
export interface ConnectedPlatform {
  readonly reads: ReadApi;
  /** The uid of the person's identity; undefined if the token does not say it. */
  readonly caller: string | undefined;
  readonly platformUrl: URL;
  readonly authUrl: URL;
  readonly close: () => Promise<void>;
}

/** Reads of different collections do not wait for each other. */
const connections = 4;

interface Caller extends Pick<ConnectedPlatform, "caller" | "platformUrl" | "authUrl"> {
  readonly tokens: Tokens;
  readonly ca: string | undefined;
}

/** @throws {NotLoggedIn} without a login and `--token-file` */
export async function connectPlatform(values: PlanValues, context: CommandContext): Promise<ConnectedPlatform> {
  const { tokens, caller, platformUrl, authUrl, ca } =
    values.tokenFile === undefined
      ? await callerOfLogin(values, context)
      : await callerOfFile(values, values.tokenFile, context);
  const transport = new HttpTransport({
    connections,
    deadlineMs: values.platformTimeout,
    clock,
    proxies: await Proxies.fromEnvironment(context.env),
    // The last of the guards against a write: not even a request that somebody builds by mistake is sent.
    canWrite: () => false,
    ...(ca === undefined ? {} : { ca }),
  });
  const reads: ReadApi = new HttpPlatformApi(transport, tokens, platformUrl);
  return { reads, caller, platformUrl, authUrl, close: () => transport.close() };
}

async function callerOfLogin(values: PlanValues, context: CommandContext): Promise<Caller> {
  const { session, platform, login, http } = await openStoredLogin(values, context);
  let rejected: string | undefined;
  const token = async () => ({ value: (await session.tokens(rejected)).accessToken, epoch: 1 });
  const reject = ({ value }: { readonly value: string }) => {
    const isFirst = rejected === undefined;
    rejected = value;
    return isFirst;
  };
  return {
    tokens: { token, reject },
    caller: identityOf((await token()).value, context),
    platformUrl: new URL(platform),
    authUrl: values.authUrl ?? new URL(login.authUrl),
    ca: http.ca,
  };
}

async function callerOfFile(values: PlanValues, file: string, context: CommandContext): Promise<Caller> {
  const { platformUrl, authUrl = platformUrl, platformCa } = values;
  if (platformUrl === undefined || authUrl === undefined)
    throw new SettingsError(["--platform-url is required with --token-file"]);
  const value = (await readTextFile("--token-file", file)).trim();
  return {
    tokens: { token: async () => ({ value, epoch: 1 }), reject: () => false },
    caller: identityOf(value, context),
    platformUrl,
    authUrl,
    ca: platformCa === undefined ? undefined : await readTextFile("--platform-ca", platformCa),
  };
}

/** The identity whose roles say what the token may list; undefined if they do not. */
function identityOf(token: string, { stderr }: CommandContext): string | undefined {
  const claims = readTokenClaims(token);
  if (claims?.identity !== undefined && !claims.isNarrowed) return claims.identity;
  const why =
    claims?.isNarrowed === true
      ? "the token is limited to some groups or capabilities"
      : "the token does not say whose it is";
  stderr.write(
    `muster: warning: ${why}, so nothing that it does not list counts as absent. Use a token without limits.\n`,
  );
  return undefined;
}
