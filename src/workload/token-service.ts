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
import { adviceForConnection, adviceForRefusal } from "./exchange-advice.ts";
import { ExchangeFailure } from "./exchange-failure.ts";
import type { SubjectToken } from "./subject-token.ts";

export interface TokenServiceOptions extends HttpClientOptions {
  /** The address of the token service, or that of its exchange, which ends in `/sts/exchange`. */
  readonly authUrl: URL;
  /** The uid of the identity to assume. */
  readonly identity: string;
  /** The audience of the token: the platform's base URL, or another one that the platform allows. */
  readonly audience: string;
}

/** A token of the platform. */
export interface ApiToken {
  readonly value: string;
  /** Milliseconds since the epoch; in the future when it was received. */
  readonly expiresAt: number;
}

const deadlineMs = seconds(10);
const maxResponseBytes = 256 * 1024;
const maxTokenLength = 65_536;
const exchangePath = "/sts/exchange";

/** The codes of an error with which the token service refuses a workload, with the HTTP status that each one has. */
const refusals: Readonly<Record<number, { readonly name: string; readonly status: number }>> = {
  3: { name: "INVALID_ARGUMENT", status: 400 },
  5: { name: "NOT_FOUND", status: 404 },
  7: { name: "PERMISSION_DENIED", status: 403 },
  16: { name: "UNAUTHENTICATED", status: 401 },
};

/**
 * Exchanges subject tokens for tokens of the platform. It uses Node's client, and is not the operator's `TokenSource`, because
 * an agent runs in each pod: undici and zod would double its memory.
 */
export class TokenService {
  readonly #options: TokenServiceOptions;
  readonly #url: URL;
  readonly #http: HttpClient;

  /** @throws {InvalidProxyVariable} */
  constructor(options: TokenServiceOptions) {
    this.#options = options;
    this.#url = exchangeUrl(options);
    this.#http = new HttpClient(this.#url, options);
  }

  /**
   * Makes one request of at most 10 s.
   * @throws {ExchangeFailure} if there is no valid token, or the reason of `signal`
   */
  async exchange(subject: SubjectToken, signal: AbortSignal): Promise<ApiToken> {
    const headers = { authorization: `Bearer ${subject.text}`, accept: "application/json" };
    let response: HttpClientResponse;
    try {
      response = await this.#http.send(this.#url, { headers, deadlineMs, maxBytes: maxResponseBytes, signal });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const message = adviceForConnection(error, oneLine(messageOfFailure(error)));
      throw new ExchangeFailure(`the token service at ${this.#url.origin} is not available: ${message}`, {
        cause: error,
      });
    }
    if (response.status !== 200) throw failureOf(response, subject, this.#options);
    return readToken(response, this.#options);
  }
}

function exchangeUrl({ authUrl, audience, identity }: TokenServiceOptions): URL {
  const url = new URL(authUrl);
  const path = url.pathname.replace(/\/$/, "");
  url.pathname = path.endsWith(exchangePath) ? path : path + exchangePath;
  url.search = new URLSearchParams({ aud: audience, identity }).toString();
  return url;
}

/** Accepts only what an application can use: a complete token that has not expired. */
function readToken({ text }: HttpClientResponse, { authUrl, clock }: TokenServiceOptions): ApiToken {
  const now = clock.now();
  const service = `the token service at ${authUrl.origin}`;
  const { token, expiry } = parseJsonObject(text) ?? {};
  const expiresAt = typeof expiry === "string" ? Date.parse(expiry) : Number.NaN;
  if (typeof token !== "string" || token.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(token))
    throw new ExchangeFailure(`the response of ${service} does not contain a token`, {});
  if (Number.isNaN(expiresAt))
    throw new ExchangeFailure(`the response of ${service} does not say when the token expires`, {});
  if (expiresAt <= now)
    throw new ExchangeFailure(
      `${service} returned a token that expired at ${new Date(expiresAt).toISOString()}; the time here is ${new Date(now).toISOString()}: check the clocks of both machines`,
      {},
    );
  return { value: token, expiresAt };
}

function failureOf(
  { status, retryAfter, text }: HttpClientResponse,
  subject: SubjectToken,
  { authUrl, audience, clock, identity }: TokenServiceOptions,
): ExchangeFailure {
  const retryAfterMs = parseRetryAfter(retryAfter, clock.now()) ?? 0;
  const { code, message } = parseJsonObject(text) ?? {};
  if (typeof code !== "number" || typeof message !== "string") {
    const hint =
      status >= 300 && status < 400
        ? "redirects are not followed; check the address of the token service"
        : "the response is not an error of the platform; check the address, and proxies on the way";
    return new ExchangeFailure(`the token service at ${authUrl.origin} returned HTTP ${status}: ${hint}`, {
      retryAfterMs,
    });
  }
  const refusal = Object.hasOwn(refusals, code) ? refusals[code] : undefined;
  const said = oneLine(message);
  if (refusal?.status !== status)
    return new ExchangeFailure(`the token service at ${authUrl.origin} returned HTTP ${status}: ${said}`, {
      retryAfterMs,
    });
  const reason = `the token service refused the exchange for the identity ${identity}: ${said} (${refusal.name})`;
  const advice = adviceForRefusal(refusal.name, said, { audience, authUrl, claims: subject.claims });
  return new ExchangeFailure(advice === undefined ? reason : `${reason}. ${advice}`, { refused: true, retryAfterMs });
}
