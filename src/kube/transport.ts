import { Pool } from "undici";
import { parseRetryAfter } from "#src/http/retry-after.ts";
import { sendRequest } from "#src/http/send-request.ts";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import type { KubeConnection } from "./config.ts";
import { KubeError, type KubeStatus } from "./errors.ts";

/** A call that has ended, for the metric `rest_client_requests_total` and for latencies. */
export interface ObservedCall {
  readonly method: string;
  /** The verb and the resource, without the object's name: `get groups`, `patch groups/status`, `watch groups`. */
  readonly call: string;
  /** The HTTP status as a string; `<error>` if there was no response. */
  readonly code: string;
  readonly durationMs: number;
}

export interface TransportOptions {
  readonly connection: KubeConnection;
  /** The number of concurrent requests, each on its own connection. */
  readonly connections: number;
  readonly clock: Clock;
  readonly observe?: (call: ObservedCall) => void;
  /** Records the requests that are part of a trace, and passes the trace on to the API server. */
  readonly tracer?: Tracer | undefined;
}

export interface HttpRequest {
  /** The call in errors and metrics: the verb and the resource, without the object's name. */
  readonly call: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path and the query, relative to the path of the server's URL. */
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  /** The user whose request it is, if that is not the caller. */
  readonly asUser?: string | undefined;
  readonly signal: AbortSignal;
}

interface HttpResponse {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

/**
 * A call with a larger response fails. It is held in memory as bytes, as text and as objects. A page of 200 objects of ordinary
 * size has less than 2 MiB, and a list asks for fewer objects if a page does not fit.
 */
const maxResponseBytes = 64 * 1024 * 1024;
/** Of the response to a watch that was refused, no more is read: it is a short `Status`, or a proxy's page. */
const maxRefusalBytes = 64 * 1024;
/** Less than the 90 s after which the API server closes an idle connection, so that we do not write to a closed one. */
const keepAliveMs = seconds(30);
const connectTimeoutMs = seconds(10);

/**
 * HTTP/1.1 to one API server over persistent connections: a bounded number for requests, and one for each watch, so that
 * watches never take a connection from requests.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #requests: Pool;
  readonly #watches: Pool;
  readonly #basePath: string;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { server, ca, cert, key, serverName, insecure, proxies } = options.connection;
    const tls = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(insecure === true ? { rejectUnauthorized: false } : {}),
    };
    const { clock } = options;
    const common: Pool.Options = {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // Each request has its own deadline; the reflector ends silent watches.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: proxies?.connectorFor(server, { timeoutMs: connectTimeoutMs, clock, tls }) ?? {
        timeout: connectTimeoutMs,
        ...tls,
      },
    };
    this.#requests = new Pool(server.origin, {
      ...common,
      connections: options.connections,
      maxResponseSize: maxResponseBytes,
    });
    this.#watches = new Pool(server.origin, { ...common, connections: null });
    this.#basePath = server.pathname.replace(/\/$/, "");
  }

  /**
   * Sends a request. @returns the parsed JSON of a successful response.
   * @throws {KubeError} or the reason of `signal`.
   */
  send(request: HttpRequest, deadlineMs: number): Promise<unknown> {
    const { tracer } = this.#options;
    if (tracer?.current() === undefined) return this.#send(request, deadlineMs, {});
    const attributes = { "http.request.method": request.method };
    return tracer.span(`kubernetes ${request.call}`, { kind: "client", attributes }, ({ traceparent }) =>
      this.#send(request, deadlineMs, { traceparent }),
    );
  }

  async #send(request: HttpRequest, deadlineMs: number, trace: Readonly<Record<string, string>>): Promise<unknown> {
    const response = await this.#observed(request, async () => {
      const headers = { ...(await this.#headers(request)), ...trace };
      return this.#dispatch(request, headers, deadlineMs);
    });
    if (response.status < 200 || response.status >= 300) throw failure(request.call, response);
    try {
      return JSON.parse(response.text);
    } catch {
      // The error of the parser, which logs would show, repeats a part of the text: a Secret, or a token.
      throw KubeError.noResponse(request.call, "the response is not JSON");
    }
  }

  /**
   * Starts a watch. `deadlineMs` is for the start of the response. @returns the body of a successful response as it
   * arrives; leaving the iteration closes the connection.
   * @throws {KubeError} or the reason of `signal`.
   */
  async stream(request: HttpRequest, deadlineMs: number): Promise<AsyncIterable<Uint8Array>> {
    const signal = AbortSignal.any([request.signal]);
    const response = await this.#observed(request, async () => {
      const deadline = new AbortController();
      const timeOut = () => deadline.abort(new Error(`no response within ${deadlineMs} ms`));
      const cancelDeadline = this.#options.clock.setTimer(timeOut, deadlineMs);
      try {
        const { statusCode, headers, body } = await this.#watches.request({
          method: request.method,
          path: this.#basePath + request.path,
          headers: await this.#headers(request),
          signal: AbortSignal.any([signal, deadline.signal]),
        });
        if (statusCode === 200) return { status: statusCode, body, text: "", retryAfterMs: undefined };
        const retryAfterMs = this.#parseRetryAfter(headers["retry-after"]);
        return { status: statusCode, body: undefined, text: await beginningOf(body), retryAfterMs };
      } catch (error) {
        throw signal.aborted ? signal.reason : KubeError.noResponse(request.call, messageOf(error), error);
      } finally {
        cancelDeadline();
      }
    });
    if (response.body === undefined) throw failure(request.call, response);
    return chunksOf(request, response.body);
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.destroy(), this.#watches.destroy()]);
  }

  async #observed<R extends { readonly status: number }>(request: HttpRequest, run: () => Promise<R>): Promise<R> {
    const { observe, clock, connection } = this.#options;
    const startedAt = clock.monotonic();
    let code = "<error>";
    try {
      const response = await run();
      code = String(response.status);
      // The caller repeats what failed: the token may have been replaced a short time ago.
      if (response.status === 401) connection.rejectToken?.();
      return response;
    } finally {
      observe?.({ method: request.method, call: request.call, code, durationMs: clock.monotonic() - startedAt });
    }
  }

  async #headers({
    call,
    body,
    asUser,
    contentType = "application/json",
  }: HttpRequest): Promise<Record<string, string>> {
    let token: string | undefined;
    try {
      token = await this.#options.connection.token();
    } catch (error) {
      throw KubeError.noResponse(call, "cannot get a token for the request", error);
    }
    return {
      // The keys of service-account tokens have a media type of their own.
      accept: "application/json, application/jwk-set+json",
      "user-agent": "muster",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": contentType }),
      ...(asUser === undefined ? {} : { "impersonate-user": asUser }),
    };
  }

  async #dispatch(
    { call, method, path, body, signal }: HttpRequest,
    headers: Record<string, string>,
    deadlineMs: number,
  ): Promise<HttpResponse> {
    try {
      const { status, retryAfter, text } = await sendRequest(
        this.#requests,
        {
          method,
          path: this.#basePath + path,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        { clock: this.#options.clock, deadlineMs, signal },
      );
      return { status, retryAfterMs: status < 300 ? undefined : this.#parseRetryAfter(retryAfter), text };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isOversized(error)) throw KubeError.tooLarge(call, maxResponseBytes, error);
      throw KubeError.noResponse(call, messageOf(error), error);
    }
  }

  #parseRetryAfter(header: string | string[] | undefined): number | undefined {
    return typeof header === "string" ? parseRetryAfter(header, this.#options.clock.now()) : undefined;
  }
}

/** Yields the chunks of a body; errors while it is read are converted like those before it. */
async function* chunksOf(request: HttpRequest, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw request.signal.aborted ? request.signal.reason : KubeError.noResponse(request.call, messageOf(error), error);
  }
}

/** The text of a body as far as it is read; leaving the iteration closes the connection. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    if ((bytes += chunk.length) > maxRefusalBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isOversized(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "UND_ERR_RES_EXCEEDED_MAX_SIZE";
}

function failure(call: string, { status, text, retryAfterMs }: HttpResponse): KubeError {
  let body: KubeStatus = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) body = parsed;
  } catch {
    // The body is empty or a proxy's error page: the HTTP status is enough.
  }
  return KubeError.fromStatus(call, { ...body, code: status }, retryAfterMs);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return "no response";
  return error.message === "" && "code" in error ? String(error.code) : error.message || "no response";
}
