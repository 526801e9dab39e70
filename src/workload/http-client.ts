import { Agent as HttpAgent, get as getHttp } from "node:http";
import { Agent as HttpsAgent, get as getHttps } from "node:https";
import { proxyFor, readProxySettings } from "#src/http/proxy-settings.ts";
import type { Clock } from "#src/time/clock.ts";

export interface HttpClientOptions {
  /** PEM certificates of the authorities to trust. Absent: the authorities that Node trusts. */
  readonly ca?: string;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export interface HttpGetOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** The time limit in milliseconds, from the call to the last byte of the response. */
  readonly deadlineMs: number;
  /** A larger body ends the call. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface HttpGetResponse {
  readonly status: number;
  /** The Retry-After header, as it was sent. */
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/**
 * Sends GET requests, each on a connection of its own. Redirects are not followed. It uses Node's own client, because undici
 * would double the memory of an agent in a pod.
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
  async get(url: URL, { deadlineMs, headers, maxBytes, signal }: HttpGetOptions): Promise<HttpGetResponse> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<HttpGetResponse>();
    const request = (this.#isSecure ? getHttps : getHttp)(url, { agent: this.#agent, headers });
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
          text: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    try {
      return await promise;
    } finally {
      cancelDeadline();
      signal.removeEventListener("abort", abort);
    }
  }
}
