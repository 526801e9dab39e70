import { Agent, type Dispatcher } from "undici";
import type { Proxies } from "#src/http/proxies.ts";
import { sendRequest, type HttpResponse } from "#src/http/send-request.ts";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { PlatformFailure, parseErrorBody, parseBoundedRetryAfter, type PlatformProblem } from "./failure.ts";
import { parseProtoJson } from "./proto-json.ts";

export interface HttpCall {
  /** The name of the call in errors, logs and metrics, such as `create groups`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Scheme, host and port, which errors name. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly bearer: string;
  readonly body?: string;
  /** The request is not sent at this time or later. */
  readonly sendBefore?: MonotonicTime | undefined;
}

/** A call, and the span that it is. */
interface TracedCall extends HttpCall {
  readonly traceparent?: string;
}

export interface HttpTransportOptions {
  /** The maximum number of requests in flight to one origin, each on its own connection. */
  readonly connections: number;
  /** The deadline of a call in milliseconds, from `send` to the last byte of the response. */
  readonly deadlineMs: number;
  /** PEM certificates of the authorities to trust. Absent: the authorities that Node trusts. */
  readonly ca?: string;
  /** Absent: every origin is called directly. */
  readonly proxies?: Proxies | undefined;
  readonly clock: Clock;
  /** False once another process may be the leader: then only GET requests are sent. */
  readonly canWrite?: () => boolean;
  /** Called after each call, with a gRPC code, `noResponse` or `aborted` as `outcome`. */
  readonly observe?: (call: HttpCall, outcome: string, seconds: number) => void;
  /** Records the calls that are part of a trace, and passes the trace on to the platform. */
  readonly tracer?: Tracer | undefined;
}

/** A larger response is not read to its end. A page of 200 resources of the largest allowed size is far smaller. */
const maxResponseBytes = 16 * 1024 * 1024;

/**
 * Sends one request and reads its JSON response. Everything other than a complete, well-formed response of the platform is a
 * `noResponse` failure: a cut connection, a missed deadline, a proxy's HTML page, an error body that contradicts its status.
 */
export class HttpTransport {
  readonly #options: HttpTransportOptions;
  /** The connections to each origin. There are at most two origins: those of the platform and its token service. */
  readonly #agents = new Map<string, Agent>();

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  /**
   * Returns the parsed body, or undefined if it is empty.
   * @throws {PlatformFailure} of kind `rejected`, `noResponse` or `paused`; or the reason of `signal` after it was aborted.
   */
  send(call: HttpCall, signal: AbortSignal): Promise<unknown> {
    const { tracer } = this.#options;
    if (tracer?.current() === undefined) return this.#send(call, signal, () => undefined);
    const attributes = { "http.request.method": call.method, "server.address": URL.parse(call.origin)?.host ?? "" };
    return tracer.span(`platform ${call.name}`, { kind: "client", attributes }, (span) => {
      const onOutcome = (outcome: string) => span.set({ "muster.outcome": outcome });
      return this.#send({ ...call, traceparent: span.traceparent }, signal, onOutcome);
    });
  }

  async #send(call: TracedCall, signal: AbortSignal, onOutcome: (outcome: string) => void): Promise<unknown> {
    const startedAt = this.#options.clock.monotonic();
    let outcome = "noResponse";
    try {
      const body = await this.#sendAndParse(call, signal);
      outcome = "OK";
      return body;
    } catch (error) {
      if (signal.aborted) {
        outcome = "aborted";
        throw signal.reason;
      }
      const failure = error instanceof PlatformFailure ? error : noResponse(call, error);
      if (failure.problem.kind === "rejected") outcome = failure.problem.error.code;
      throw failure;
    } finally {
      onOutcome(outcome);
      this.#options.observe?.(call, outcome, (this.#options.clock.monotonic() - startedAt) / 1000);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }

  #agentFor(origin: string): Agent {
    const existing = this.#agents.get(origin);
    if (existing !== undefined) return existing;
    const { connections, deadlineMs, ca, clock, proxies } = this.#options;
    const tls = ca === undefined ? {} : { ca };
    const agent = new Agent({
      connections,
      pipelining: 1,
      allowH2: false,
      maxResponseSize: maxResponseBytes,
      // The deadline of the call covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: proxies?.connectorFor(new URL(origin), { timeoutMs: deadlineMs, clock, tls }) ?? {
        timeout: deadlineMs,
        ...tls,
      },
    });
    this.#agents.set(origin, agent);
    return agent;
  }

  async #sendAndParse(call: TracedCall, signal: AbortSignal): Promise<unknown> {
    const { status, retryAfter, text } = await this.#dispatch(call, signal);
    const parsed = parseJson(text);
    if (status >= 200 && status < 300) {
      if (parsed === notJson)
        throw fail(call, {
          kind: "noResponse",
          message: `the body of the HTTP ${status} response of ${call.origin} is not JSON`,
        });
      return parsed;
    }
    const retryAfterMs = parseBoundedRetryAfter(single(retryAfter), this.#options.clock.now());
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    const error = parseErrorBody(status, parsed);
    if (error === undefined)
      throw fail(call, {
        kind: "noResponse",
        message: `the HTTP ${status} response of ${call.origin} is not an error of the platform`,
        ...wait,
      });
    throw fail(call, { kind: "rejected", error, ...wait });
  }

  #dispatch(call: TracedCall, signal: AbortSignal): Promise<HttpResponse> {
    const { clock, deadlineMs, canWrite } = this.#options;
    // Checked just before the request is sent: the process may have been paused at any point before.
    const beforeSending = () => {
      const isLate = call.sendBefore !== undefined && clock.monotonic() >= call.sendBefore;
      const mayWrite = call.method === "GET" || canWrite?.() !== false;
      if (isLate || !mayWrite) throw fail(call, { kind: "paused", retryAfterMs: 0 });
    };
    return sendRequest(this.#agentFor(call.origin), requestOf(call), { clock, deadlineMs, signal, beforeSending });
  }
}

function requestOf({ origin, path, method, bearer, body, traceparent }: TracedCall): Dispatcher.DispatchOptions {
  const trace = traceparent === undefined ? {} : { traceparent };
  const headers = { authorization: `Bearer ${bearer}`, accept: "application/json", ...trace };
  if (body === undefined) return { origin, path, method, headers };
  return { origin, path, method, headers: { ...headers, "content-type": "application/json" }, body };
}

const notJson = Symbol("not JSON");

function parseJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return parseProtoJson(text);
  } catch {
    return notJson;
  }
}

function fail(call: HttpCall, problem: PlatformProblem): PlatformFailure {
  return new PlatformFailure(call.name, problem);
}

function noResponse(call: HttpCall, error: unknown): PlatformFailure {
  const message = `${call.origin} is not available: ${messageOf(error)}`;
  return new PlatformFailure(call.name, { kind: "noResponse", message }, { cause: error });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  const code = "code" in error ? String(error.code) : "";
  return error.message === "" ? code || "the connection failed" : error.message;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
