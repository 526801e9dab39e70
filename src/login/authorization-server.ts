import {
  HttpClient,
  type HttpClientOptions,
  type HttpClientResponse,
  messageOfFailure,
} from "#src/http/http-client.ts";
import { parseRetryAfter } from "#src/http/retry-after.ts";
import { parseJsonObject } from "#src/json/parse-json.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { seconds } from "#src/time/durations.ts";
import type { LoginTokens } from "./credentials.ts";
import { LoginFailure } from "./login-failure.ts";
import { parseTokenResponse } from "./token-response.ts";

export interface AuthorizationServerOptions extends HttpClientOptions {
  /** The address of the token service, without a slash at the end. */
  readonly authUrl: string;
}

/** The client id of this program, which every platform knows. It is a public client: it has no secret. */
export const clientId = "muster-cli";

const deadlineMs = seconds(10);
const maxResponseBytes = 256 * 1024;

/** The endpoints that a login uses, by their names in the discovery document. */
const endpointNames = [
  "authorization_endpoint",
  "token_endpoint",
  "device_authorization_endpoint",
  "revocation_endpoint",
] as const;

type Endpoints = Readonly<Record<(typeof endpointNames)[number], URL>>;

/** The parameters of a request, some of which are repeated. */
export type Parameters = readonly (readonly [name: string, value: string])[];

/** The part of a platform that logs people in: OAuth 2.0, with forms, and not the platform's API. Each call is one request of at most 10 s, and throws a `LoginFailure`. */
export class AuthorizationServer {
  /** The address of the token service, which is the issuer of its tokens. */
  readonly issuer: string;
  readonly #options: AuthorizationServerOptions;
  readonly #http: HttpClient;
  readonly #endpoints: Endpoints;

  /**
   * Reads the discovery document of a platform.
   * @throws {LoginFailure} or the reason of `signal`
   */
  static async discover(options: AuthorizationServerOptions, signal: AbortSignal): Promise<AuthorizationServer> {
    const { authUrl } = options;
    const http = new HttpClient(new URL(authUrl), options);
    const url = new URL(`${authUrl}/.well-known/openid-configuration`);
    const response = await send(http, url, { signal });
    const document = response.status === 200 ? parseJsonObject(response.text) : undefined;
    if (document === undefined)
      throw new LoginFailure(
        `${url.href} does not return a discovery document (HTTP ${response.status}): check --platform-url and --auth-url, and proxies on the way`,
        { kind: "unavailable" },
      );
    const { issuer } = document;
    if (issuer !== authUrl)
      throw new LoginFailure(
        `the token service at ${authUrl} calls itself ${oneLine(JSON.stringify(issuer) ?? "nothing")}: give exactly this address as --auth-url if you trust it`,
        { kind: "unavailable" },
      );
    return new AuthorizationServer(options, http, endpointsIn(document, authUrl));
  }

  private constructor(options: AuthorizationServerOptions, http: HttpClient, endpoints: Endpoints) {
    this.issuer = options.authUrl;
    this.#options = options;
    this.#http = http;
    this.#endpoints = endpoints;
  }

  /** Where a person logs in. */
  authorizationUrl(parameters: Parameters): URL {
    const url = new URL(this.#endpoints.authorization_endpoint);
    for (const [name, value] of [["client_id", clientId], ...parameters] as const) url.searchParams.append(name, value);
    return url;
  }

  /** Requests tokens for a grant (RFC 6749, section 4.1.3, and others). */
  async requestTokens(grant: Parameters, signal: AbortSignal): Promise<LoginTokens> {
    const body = await this.#post(this.#endpoints.token_endpoint, grant, signal);
    return parseTokenResponse(body, this.#options.clock.now());
  }

  /** Requests a code that a person types on another device (RFC 8628, section 3.1). @returns the response as it is */
  requestDeviceCode(parameters: Parameters, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    return this.#post(this.#endpoints.device_authorization_endpoint, parameters, signal);
  }

  /** Ends a login (RFC 7009). It also succeeds if the login had ended. */
  async revoke(refreshToken: string, signal: AbortSignal): Promise<void> {
    const parameters = [
      ["token", refreshToken],
      ["token_type_hint", "refresh_token"],
    ] as const;
    await this.#post(this.#endpoints.revocation_endpoint, parameters, signal);
  }

  async #post(url: URL, parameters: Parameters, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const form = new URLSearchParams([
      ["client_id", clientId],
      ...parameters.map(([name, value]): [string, string] => [name, value]),
    ]);
    const response = await send(this.#http, url, { form, signal });
    const body = parseJsonObject(response.text);
    if (response.status === 200) return body ?? {};
    throw failureOf(url, response, body, this.#options.clock.now());
  }
}

/** @throws {LoginFailure} if an endpoint is missing or somewhere else: whatever is there would get codes and tokens */
function endpointsIn(document: Readonly<Record<string, unknown>>, authUrl: string): Endpoints {
  const { origin } = new URL(authUrl);
  const endpoint = (name: (typeof endpointNames)[number]): URL => {
    const text = document[name];
    if (text === undefined)
      throw new LoginFailure(
        `people cannot log in to ${authUrl}: its discovery document has no ${name}. The platform may be older than this muster`,
        { kind: "unavailable" },
      );
    const url = typeof text === "string" ? URL.parse(text) : null;
    if (url === null || url.origin !== origin || url.username !== "" || url.hash !== "")
      throw new LoginFailure(`the ${name} in the discovery document of ${authUrl} is not an address of ${origin}`, {
        kind: "unavailable",
      });
    return url;
  };
  return {
    authorization_endpoint: endpoint("authorization_endpoint"),
    token_endpoint: endpoint("token_endpoint"),
    device_authorization_endpoint: endpoint("device_authorization_endpoint"),
    revocation_endpoint: endpoint("revocation_endpoint"),
  };
}

async function send(
  http: HttpClient,
  url: URL,
  { form, signal }: { readonly form?: URLSearchParams; readonly signal: AbortSignal },
): Promise<HttpClientResponse> {
  const limits = { deadlineMs, maxBytes: maxResponseBytes, signal };
  try {
    return form === undefined
      ? await http.send(url, { ...limits, headers: { accept: "application/json" } })
      : await http.send(url, {
          ...limits,
          method: "POST",
          headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
          body: form.toString(),
        });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new LoginFailure(
      `the token service at ${url.origin} is not available: ${oneLine(messageOfFailure(error))}`,
      { kind: "unavailable" },
      { cause: error },
    );
  }
}

/** An error of OAuth 2.0 (RFC 6749, section 5.2), one of the platform's API, or something else. */
function failureOf(
  url: URL,
  { status, retryAfter, text }: HttpClientResponse,
  body: Readonly<Record<string, unknown>> | undefined,
  now: number,
): LoginFailure {
  const { error, error_description: description, message } = body ?? {};
  const retryAfterMs = parseRetryAfter(retryAfter, now);
  const unavailable = { kind: "unavailable", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } as const;
  if (status >= 500 || status === 429)
    return new LoginFailure(
      `the token service at ${url.origin} returned HTTP ${status}${typeof message === "string" ? `: ${oneLine(message)}` : ""}`,
      unavailable,
    );
  if (status >= 400 && typeof error === "string" && /^[\x20-\x7e]{1,100}$/.test(error)) {
    const said = typeof description === "string" ? `: ${oneLine(description)}` : "";
    return new LoginFailure(`the platform refused: ${error}${said}`, { kind: "refused", error });
  }
  if (status >= 400 && typeof message === "string")
    return new LoginFailure(`the platform refused: ${oneLine(message)}`, { kind: "refused", error: "invalid_request" });
  return new LoginFailure(
    `${url.href} returned HTTP ${status}${text === "" ? "" : ", which is not a response of the platform"}: check --auth-url, and proxies on the way`,
    unavailable,
  );
}
