import { resolve } from "node:path";
import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { readStream } from "#src/files/read-text.ts";
import { AuthorizationServer } from "#src/login/authorization-server.ts";
import { findBrowser, openBrowser } from "#src/login/browser.ts";
import { browserTimeLimitMs, logInWithBrowser } from "#src/login/browser-login.ts";
import { type Credentials, type Login, type LoginTokens, maxLogins, platformKey } from "#src/login/credentials.ts";
import { type DeviceCode, logInWithDevice } from "#src/login/device-login.ts";
import type { LoginRequest } from "#src/login/login-request.ts";
import { readTokenClaims } from "#src/login/token-claims.ts";
import { systemClock } from "#src/time/clock.ts";
import { loginSettings, uid } from "./settings.ts";
import { credentialsFile, httpOptions } from "./stored-login.ts";

const commandSettings = {
  ...loginSettings,
  authUrl: settings.optional(
    settings.url,
    "The address of the token service. (default: as in the last login to this platform, otherwise --platform-url)",
  ),
  group: settings.optional(uid, "The group whose identity providers you choose from, by its uid."),
  identityProvider: settings.optional(uid, "The identity provider to log in with, by its uid, instead of --group."),
  audience: settings.optionalList(
    settings.text,
    "A service that accepts the token, in addition to the platform. The platform must allow it (--audience of `muster platform`).",
  ),
  invite: settings.optional(
    settings.text,
    "The code of an invite to redeem; - reads it from standard input. Other users of this machine can see the command line: give the code as the variable, or with -.",
  ),
  headless: settings.toggle(
    "Print a code that you type in the browser of any machine, instead of opening the browser of this one.",
  ),
};

type Values = settings.Values<typeof commandSettings>;

export default defineCommand({
  summary: "log in to a platform in the browser, as a person",
  description: `The first time, name the platform and a group whose identity providers you can choose from:
  muster login --platform-url https://platform.example.com --group UID
After that, muster login alone logs in to the same platform in the same way. The tokens are kept in ~/.config/muster/credentials.json, which only you can access, and renewed until the login ends. "muster help login" has more.`,
  settings: commandSettings,
  run: async (values, context) => {
    const file = credentialsFile(context);
    const { platform, login } = requested(values, file.read());
    const request = { ...login, invite: await inviteOf(values.invite, context) };
    const http = await httpOptions(login.platformCa, context);
    const lock = { clock: systemClock, signal: context.signal };
    // Whether it can be written is better known before a person has logged in.
    await file.change(lock, async ({ credentials }) => requireRoom(credentials, platform));
    const server = await AuthorizationServer.discover({ ...http, authUrl: login.authUrl }, context.signal);
    const tokens = await logIn(server, request, values.headless, platform, context);
    const claims = readTokenClaims(tokens.accessToken);
    if (claims !== undefined && !claims.audiences.includes(platform))
      throw new Error(
        `the token is for ${claims.audiences.join(", ") || "nobody"} and not for ${platform}: give the platform's own base URL as --platform-url, exactly as in its --base-url`,
      );
    const earlier = await file.change(lock, async ({ credentials, save }) => {
      requireRoom(credentials, platform);
      const logins = new Map(credentials.logins).set(platform, { ...login, tokens });
      save({ current: platform, logins });
      return credentials.logins.get(platform);
    });
    context.stdout.write(
      `Logged in to ${platform}${claims?.identity === undefined ? "" : ` as ${claims.identity}`}.\n`,
    );
    await endEarlier(server, earlier, context);
  },
});

/** The login that the settings ask for, with what they leave out from an earlier login. @throws {SettingsError} */
function requested(values: Values, { current, logins }: Credentials): { platform: string; login: Login } {
  const platform = values.platformUrl === undefined ? current : platformKey(values.platformUrl);
  const mistakes: string[] = [];
  if (platform === undefined) mistakes.push("--platform-url (or MUSTER_PLATFORM_URL) is required for the first login");
  const earlier = platform === undefined ? undefined : logins.get(platform);
  const { audience, group, identityProvider } = values;
  if (group !== undefined && identityProvider !== undefined)
    mistakes.push("--group and --identity-provider exclude each other: a provider belongs to one group");
  const through =
    group !== undefined ? { group } : identityProvider !== undefined ? { identityProvider } : earlier?.through;
  if (through === undefined)
    mistakes.push("--group or --identity-provider is required for the first login to a platform");
  const authUrl = values.authUrl === undefined ? (earlier?.authUrl ?? platform) : platformKey(values.authUrl);
  for (const [flag, url] of [
    ["--platform-url", platform],
    ["--auth-url", authUrl],
  ] as const)
    if (url !== undefined && !isConfidential(new URL(url)))
      mistakes.push(`${flag}: ${url} is not an https URL, and everybody on the way could read the tokens`);
  if (platform === undefined || through === undefined || authUrl === undefined || mistakes.length > 0)
    throw new settings.SettingsError(mistakes);
  const same = group === undefined && identityProvider === undefined;
  const audiences = audience.length > 0 ? [platform, ...audience] : same ? (earlier?.audiences ?? []) : [];
  const platformCa = values.platformCa === undefined ? earlier?.platformCa : resolve(values.platformCa);
  return { platform, login: { authUrl, through, audiences, ...(platformCa === undefined ? {} : { platformCa }) } };
}

/** Plain HTTP does not leave this machine. */
function isConfidential({ hostname, protocol }: URL): boolean {
  return protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

async function inviteOf(invite: string | undefined, { signal, stdin }: CommandContext): Promise<string | undefined> {
  if (invite !== "-") return invite;
  const code = (await readStream(stdin, { signal })).trim();
  if (code === "") throw new Error("--invite: there is no code on standard input");
  return code;
}

function requireRoom({ logins }: Credentials, platform: string): void {
  if (logins.size >= maxLogins && !logins.has(platform))
    throw new Error(`${maxLogins} logins are kept at most; remove one with muster logout --platform-url URL`);
}

function logIn(
  server: AuthorizationServer,
  request: LoginRequest,
  headless: boolean,
  platform: string,
  { env, signal, stderr }: CommandContext,
): Promise<LoginTokens> {
  const print = (text: string) => void stderr.write(`${text}\n`);
  const browser = findBrowser({ env, platform: process.platform });
  if (headless || browser.kind === "none") {
    if (!headless && browser.kind === "none") print(`No browser can be opened here: ${browser.reason}.`);
    return logInWithDevice(server, request, {
      clock: systemClock,
      signal,
      show: (code) => print(instructions(code, platform)),
    });
  }
  return logInWithBrowser(server, request, {
    clock: systemClock,
    signal,
    show: (address, link) => {
      print(`Log in to ${platform} in the browser. If it does not open, open this address on this machine:
  ${address.href}
Waiting for the browser, for at most ${browserTimeLimitMs / 60_000} minutes …`);
      openBrowser(browser, link, env, (reason) =>
        print(`The browser could not be opened (${reason}): open the address above.`),
      );
    },
  });
}

function instructions({ userCode, verificationUri, lifetimeMs }: DeviceCode, platform: string): string {
  return `To log in to ${platform}, open this address in a browser on any machine:
  ${verificationUri}
and type this code, which nobody else should get:
  ${userCode}
Waiting for at most ${Math.ceil(lifetimeMs / 60_000)} minutes …`;
}

/** A login that was replaced must not stay valid without anybody knowing its tokens. */
async function endEarlier(
  server: AuthorizationServer,
  earlier: Login | undefined,
  { signal }: CommandContext,
): Promise<void> {
  const refreshToken = earlier?.tokens?.refreshToken;
  if (refreshToken === undefined || earlier?.authUrl !== server.issuer) return;
  // The new login is complete, whether or not this succeeds: the earlier one then ends by itself.
  await server.revoke(refreshToken, signal).catch(() => undefined);
}
