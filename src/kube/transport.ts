import { type Dispatcher, Pool } from "undici";
import type { KubeConnection } from "./config.ts";
import { KubeError, type KubeStatus } from "./errors.ts";

/** One finished call, for `rest_client_requests_total` and latencies. */
export interface ObservedCall {
  readonly method: string;
  /** `get groups`, `patch groups/status`, `watch groups`: no names of objects. */
  readonly call: string;
  /** HTTP status as a string; `<error>` where no answer came. */
  readonly code: string;
  readonly durationMs: number;
}

export interface TransportOptions {
  readonly connection: KubeConnection;
  /** Requests under way at once, each on a connection of its own. */
  readonly connections: number;
  readonly userAgent: string;
  readonly observe?: (call: ObservedCall) => void;
}

export interface Request {
  /** For errors and metrics: without names of objects. */
  readonly call: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, below the server's own path. */
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

/** An answer larger than this is not read to its end. */
const maxAnswerBytes = 256 * 1024 * 1024;
/** Below the 90 s after which the API server closes an idle connection, so that we never write to a closed one. */
const keepAliveMs = 30_000;
const connectMs = 10_000;

/**
 * HTTP/1.1 to one API server, over connections that are kept: a bounded number for requests, and one for each watch, so
 * that a watch never takes a request's place.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #requests: Pool;
  readonly #watches: Pool;
  readonly #basePath: string;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { server, ca, cert, key, serverName, insecure } = options.connection;
    const common: Pool.Options = {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // Each request has a deadline of its own, and a watch has the reflector's.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        timeout: connectMs,
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        ...(serverName === undefined ? {} : { servername: serverName }),
        ...(insecure === true ? { rejectUnauthorized: false } : {}),
      },
    };
    this.#requests = new Pool(server.origin, {
      ...common,
      connections: options.connections,
      maxResponseSize: maxAnswerBytes,
    });
    this.#watches = new Pool(server.origin, { ...common, connections: null });
    this.#basePath = server.pathname.replace(/\/$/, "");
  }

  /**
   * The parsed JSON answer of a request that succeeded.
   * @throws {KubeError} or the reason of `signal`.
   */
  async send(request: Request, deadlineMs: number): Promise<unknown> {
    const answer = await this.#observed(request, async () => {
      const headers = await this.#headers(request);
      return this.#exchange(request, headers, deadlineMs);
    });
    if (answer.status < 200 || answer.status >= 300) throw failure(request.call, answer);
    try {
      return JSON.parse(answer.text);
    } catch (error) {
      throw noAnswer(request.call, "the answer is not JSON", error);
    }
  }

  /**
   * The body of an answer that has begun well, as it comes. Leaving the iteration closes the connection.
   * @throws {KubeError} or the reason of `signal`.
   */
  async stream(request: Request, deadlineMs: number): Promise<AsyncIterable<Uint8Array>> {
    const signal = AbortSignal.any([request.signal]);
    const started = await this.#observed(request, async () => {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
      try {
        const { statusCode, headers, body } = await this.#watches.request({
          method: request.method,
          path: this.#basePath + request.path,
          headers: await this.#headers(request),
          signal: AbortSignal.any([signal, late.signal]),
        });
        if (statusCode === 200) return { status: statusCode, body, text: "", retryAfterMs: undefined };
        const retryAfterMs = parseRetryAfter(headers["retry-after"]);
        return { status: statusCode, body: undefined, text: await body.text(), retryAfterMs };
      } catch (error) {
        throw signal.aborted ? signal.reason : noAnswer(request.call, messageOf(error), error);
      } finally {
        clearTimeout(timer);
      }
    });
    if (started.body === undefined) throw failure(request.call, started);
    return readable(request, started.body);
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.destroy(), this.#watches.destroy()]);
  }

  async #observed<A extends { readonly status: number }>(request: Request, run: () => Promise<A>): Promise<A> {
    const { observe } = this.#options;
    const started = performance.now();
    let code = "<error>";
    try {
      const answer = await run();
      code = String(answer.status);
      return answer;
    } finally {
      observe?.({ method: request.method, call: request.call, code, durationMs: performance.now() - started });
    }
  }

  async #headers({ call, body, contentType = "application/json" }: Request): Promise<Record<string, string>> {
    let token: string | undefined;
    try {
      token = await this.#options.connection.token();
    } catch (error) {
      throw noAnswer(call, "there is no token to send", error);
    }
    return {
      accept: "application/json",
      "user-agent": this.#options.userAgent,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": contentType }),
    };
  }

  /** undici's handlers, rather than its streams: half the time of a request would go into those. */
  #exchange(request: Request, headers: Record<string, string>, deadlineMs: number): Promise<Answer> {
    const { call, method, path, body, signal } = request;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      let controller: Dispatcher.DispatchController | undefined;
      let ended = false;
      let status = 0;
      let retryAfterMs: number | undefined;
      const chunks: Buffer[] = [];
      const end = () => {
        ended = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      };
      const fail = (reason: unknown, cause: Error) => {
        if (ended) return;
        end();
        controller?.abort(cause);
        reject(reason);
      };
      const abort = () => fail(signal.reason, new Error("aborted"));
      const timer = setTimeout(() => {
        const late = new Error(`no answer within ${deadlineMs} ms`);
        fail(noAnswer(call, late.message), late);
      }, deadlineMs);
      signal.addEventListener("abort", abort, { once: true });
      this.#requests.dispatch(
        {
          method,
          path: this.#basePath + path,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        {
          onRequestStart: (started) => {
            controller = started;
            // It waited for a connection, and nobody waits for it any more.
            if (ended) started.abort(new Error("aborted"));
          },
          onResponseStart: (_, statusCode, responseHeaders) => {
            status = statusCode;
            if (statusCode >= 300) retryAfterMs = parseRetryAfter(responseHeaders["retry-after"]);
          },
          onResponseData: (_, chunk) => {
            chunks.push(chunk);
          },
          onResponseEnd: () => {
            if (ended) return;
            end();
            const whole = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
            resolve({ status, retryAfterMs, text: whole.toString("utf8") });
          },
          onResponseError: (_, error) => fail(noAnswer(call, messageOf(error), error), error),
        },
      );
    });
  }
}

/** What comes while a body is read is told in the same terms as what comes before. */
async function* readable(request: Request, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw request.signal.aborted ? request.signal.reason : noAnswer(request.call, messageOf(error), error);
  }
}

function failure(call: string, { status, text, retryAfterMs }: Answer): KubeError {
  let body: KubeStatus = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) body = parsed;
  } catch {
    // A proxy's page or nothing at all: the HTTP status says enough.
  }
  return KubeError.fromStatus(call, { ...body, code: status }, retryAfterMs);
}

function noAnswer(call: string, problem: string, cause?: unknown): KubeError {
  return new KubeError({ call, code: 0, reason: "NoAnswer" }, problem, cause === undefined ? {} : { cause });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  return error.message === "" && "code" in error ? String(error.code) : error.message || "no answer";
}

/** Seconds or a date (RFC 9110, 10.2.3), in milliseconds from now. */
function parseRetryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
