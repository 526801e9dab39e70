import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Clock } from "#src/time/clock.ts";
import { proxyFor, readProxySettings } from "./proxy-settings.ts";

export interface HttpClientOptions {
  /** PEM certificates of the authorities to trust. Absent: the authorities that Node trusts. */
  readonly ca?: string;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export interface HttpRequest {
  /** Absent: GET. */
  readonly method?: string;
  /** Absent: a request without a body. */
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The time limit in milliseconds, from the call to the last byte of the response. */
  readonly deadlineMs: number;
  /** A larger body ends the call. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface HttpClientResponse {
  readonly status: number;
  /** The Retry-After header, as it was sent. */
  readonly retryAfter: string | undefined;
  /** The Date header, as it was sent: the clock of the server. */
  readonly date: string | undefined;
  readonly text: string;
}

/**
 * What the error of a request says. Node reports the failure to connect to several addresses of one name as an
 * AggregateError without a message: its code then.
 */
export function messageOfFailure(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || "the connection failed";
}

/**
 * Sends requests, each on a connection of its own. Redirects are not followed. It uses Node's own client, because undici would
 * double the memory of an agent in a pod, and the time that a short command takes to start.
 */
export class HttpClient {
  readonly #clock: Clock;
  readonly #isSecure: boolean;
  /** One for all requests: each would load the certificate authorities. */
  readonly #agent: HttpAgent | HttpsAgent;

  /**
   * @param origin every request is to this origin
   * @throws {Error} that names the variable of a proxy that is not valid
   */
  constructor(origin: URL, { ca, clock, env }: HttpClientOptions) {
    // Node knows neither CIDR blocks in NO_PROXY nor that loopback addresses are direct.
    const proxy = proxyFor(origin, readProxySettings(env))?.href;
    const options = {
      keepAlive: false,
      ...(proxy === undefined ? {} : { proxyEnv: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } }),
    };
    this.#clock = clock;
    this.#isSecure = origin.protocol === "https:";
    this.#agent = this.#isSecure
      ? new HttpsAgent({ ...options, ...(ca === undefined ? {} : { ca }) })
      : new HttpAgent(options);
  }

  /**
   * Sends one request and reads the whole response.
   * @throws {Error} without a complete response in time, or the reason of `signal`
   */
  async send(
    url: URL,
    { body, deadlineMs, headers, maxBytes, method = "GET", signal }: HttpRequest,
  ): Promise<HttpClientResponse> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<HttpClientResponse>();
    const request = (this.#isSecure ? requestHttps : requestHttp)(url, { method, agent: this.#agent, headers });
    const end = (reason: unknown) => {
      reject(reason);
      request.destroy();
    };
    const abort = () => end(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const cancelDeadline = this.#clock.setTimer(
      () => end(new Error(`no response within ${deadlineMs / 1000} s`)),
      deadlineMs,
    );
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) end(new Error(`the response is larger than ${maxBytes} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers["retry-after"],
          date: response.headers.date,
          text: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    // With the whole body at once, Node sends its length, and no chunks.
    request.end(body);
    try {
      return await promise;
    } finally {
      cancelDeadline();
      signal.removeEventListener("abort", abort);
    }
  }
}
