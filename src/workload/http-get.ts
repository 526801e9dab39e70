import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, get as getHttp } from "node:http";
import { Agent as HttpsAgent, get as getHttps } from "node:https";
import type { Clock } from "#src/time/clock.ts";

export interface HttpGetOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** PEM certificates of the authorities to trust. Absent: the authorities that Node trusts. */
  readonly ca?: string;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from, in upper or lower case. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time limit in milliseconds, from the call to the last byte of the response. */
  readonly deadlineMs: number;
  /** A larger body ends the call. */
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface HttpGetResponse {
  readonly status: number;
  /** The Retry-After header, as it was sent. */
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/**
 * Sends one GET request on a connection of its own, and reads the whole response. Redirects are not followed. It uses
 * Node's own client, because undici would double the memory of an agent in a pod.
 * @throws {Error} without a complete response in time, or the reason of `signal`
 */
export async function httpGet(url: URL, options: HttpGetOptions): Promise<HttpGetResponse> {
  options.signal.throwIfAborted();
  const { clock, deadlineMs, env, headers, signal } = options;
  const settings = { keepAlive: false, proxyEnv: { ...env } };
  const agent =
    url.protocol === "https:"
      ? new HttpsAgent({ ...settings, ...(options.ca === undefined ? {} : { ca: options.ca }) })
      : new HttpAgent(settings);
  const { promise, resolve, reject } = Promise.withResolvers<HttpGetResponse>();
  const request = (url.protocol === "https:" ? getHttps : getHttp)(url, { agent, headers });
  const abort = () => end(request, signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const cancelDeadline = clock.setTimer(
    () => end(request, new Error(`no response within ${deadlineMs / 1000} s`)),
    deadlineMs,
  );
  request.on("error", reject);
  request.on("response", (response: IncomingMessage) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > options.maxBytes) end(request, new Error(`the response is larger than ${options.maxBytes} bytes`));
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
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    cancelDeadline();
    signal.removeEventListener("abort", abort);
    agent.destroy();
  }

  function end(sent: ClientRequest, reason: unknown): void {
    reject(reason);
    sent.destroy();
  }
}
