import { isJsonObject } from "#src/json/json-object.ts";
import { parseJsonObject } from "#src/json/parse-json.ts";

/** What `muster login` keeps: one login for each platform, of which commands use the current one unless --platform-url names another one. */
export interface Credentials {
  /** The key of a login. Absent after that login was removed. */
  readonly current?: string;
  /** By the API URL of the platform; see `platformKey`. */
  readonly logins: ReadonlyMap<string, Login>;
}

/** A person's login to one platform, with what is needed to renew it and to log in again in the same way. */
export interface Login {
  /** The address of the token service, without a slash at the end. */
  readonly authUrl: string;
  /** The absolute path of a PEM file with the certificate authorities to trust for the platform. */
  readonly platformCa?: string;
  readonly through: LoginRoute;
  /** The audiences of the tokens. Empty: the platform's own one. */
  readonly audiences: readonly string[];
  /** Absent after the login has ended. */
  readonly tokens?: LoginTokens;
}

/** Whose identity providers a person chooses from, or the one to use; each by its uid. */
export type LoginRoute = { readonly group: string } | { readonly identityProvider: string };

/** Times are milliseconds since the epoch, by the clock of this machine. */
export interface LoginTokens {
  readonly accessToken: string;
  readonly expiresAt: number;
  /** Each one is used once: the response has the next one. Absent: the login ends with the access token. */
  readonly refreshToken?: string;
  /** When the login ends, however often it is renewed. Absent if the platform did not say. */
  readonly endsAt?: number;
}

export const noCredentials: Credentials = { logins: new Map() };

/** More logins are not kept. */
export const maxLogins = 64;

/** Texts in the file are at most this long, in characters. Tokens have limits of their own. */
const maxTextLength = 2048;

const fileVersion = 1;

/** The key of a login: the API URL of its platform without a slash at the end, which is also the audience of its tokens. */
export function platformKey(url: URL): string {
  return url.href.replace(/\/+$/, "");
}

/** The credentials with another login for a platform, or without one, which is then not the current one either. */
export function withLogin({ current, logins }: Credentials, platform: string, login: Login | undefined): Credentials {
  const changed = new Map(logins);
  if (login === undefined) changed.delete(platform);
  else changed.set(platform, login);
  return { logins: changed, ...(current === undefined || !changed.has(current) ? {} : { current }) };
}

export function formatCredentials({ current, logins }: Credentials): string {
  const file = {
    version: fileVersion,
    ...(current === undefined ? {} : { current }),
    logins: Object.fromEntries([...logins].map(([platform, login]) => [platform, formatLogin(login)])),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function formatLogin({ tokens, ...rest }: Login): object {
  if (tokens === undefined) return rest;
  const { endsAt, expiresAt, ...secrets } = tokens;
  return {
    ...rest,
    tokens: {
      ...secrets,
      expiresAt: new Date(expiresAt).toISOString(),
      ...(endsAt === undefined ? {} : { endsAt: new Date(endsAt).toISOString() }),
    },
  };
}

/** @returns undefined if the text is not what this version of the program writes, for example because it was cut off */
export function parseCredentials(text: string): Credentials | undefined {
  const file = parseJsonObject(text);
  if (file?.["version"] !== fileVersion || !isJsonObject(file["logins"])) return undefined;
  const entries = Object.entries(file["logins"]).map(([platform, login]) => [platform, parseLogin(login)] as const);
  if (entries.length > maxLogins) return undefined;
  const logins = new Map<string, Login>();
  for (const [platform, login] of entries) {
    if (login === undefined || URL.parse(platform) === null) return undefined;
    logins.set(platform, login);
  }
  const { current } = file;
  if (current === undefined) return { logins };
  return typeof current === "string" && logins.has(current) ? { current, logins } : undefined;
}

function parseLogin(value: unknown): Login | undefined {
  if (!isJsonObject(value)) return undefined;
  const { authUrl, platformCa, audiences, tokens } = value;
  const through = parseRoute(value["through"]);
  if (!isText(authUrl) || URL.parse(authUrl) === null || through === undefined) return undefined;
  if (platformCa !== undefined && !isText(platformCa)) return undefined;
  if (!Array.isArray(audiences) || !audiences.every(isText)) return undefined;
  const parsed = tokens === undefined ? undefined : parseTokens(tokens);
  if (tokens !== undefined && parsed === undefined) return undefined;
  return {
    authUrl,
    through,
    audiences,
    ...(platformCa === undefined ? {} : { platformCa }),
    ...(parsed === undefined ? {} : { tokens: parsed }),
  };
}

function parseRoute(value: unknown): LoginRoute | undefined {
  if (!isJsonObject(value)) return undefined;
  const { group, identityProvider } = value;
  if (isText(group)) return { group };
  return isText(identityProvider) ? { identityProvider } : undefined;
}

function parseTokens(value: unknown): LoginTokens | undefined {
  if (!isJsonObject(value)) return undefined;
  const { accessToken, refreshToken } = value;
  const expiresAt = timeOf(value["expiresAt"]);
  const endsAt = timeOf(value["endsAt"]);
  if (!isTokenText(accessToken) || expiresAt === undefined) return undefined;
  if (refreshToken !== undefined && !isTokenText(refreshToken)) return undefined;
  if (value["endsAt"] !== undefined && endsAt === undefined) return undefined;
  return {
    accessToken,
    expiresAt,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(endsAt === undefined ? {} : { endsAt }),
  };
}

/** A longer token does not fit into the headers of a request. */
export const maxTokenLength = 16_000;

/** Whether a text can be sent as a token in a header. */
export function isTokenText(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(value);
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxTextLength;
}
