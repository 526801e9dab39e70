import { Agent, type Dispatcher } from "undici";
import { PlatformFailure, parseErrorBody, parseRetryAfter, type PlatformProblem } from "./failure.ts";

export interface HttpCall {
  /** What the call is, for people and metrics: `create groups`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly bearer: string;
  readonly body?: string;
}

export interface HttpTransportOptions {
  /** Requests under way at once, each on a connection of its own. */
  readonly connections: number;
  /** From sending to the last byte of the answer, in milliseconds. */
  readonly deadlineMs: number;
  /** Trusted besides the system's authorities: PEM. */
  readonly ca?: string;
  /** False once another process may be the leader: then nothing but GET is sent. */
  readonly mayWrite?: () => boolean;
  readonly observe?: (call: HttpCall, outcome: string, seconds: number) => void;
}

/** An answer larger than this is not read to its end: 200 rows of the largest allowed size stay well below. */
const maxAnswerBytes = 16 * 1024 * 1024;

/**
 * Sends one request and reads its JSON answer. Whatever is not a whole, well-formed answer of the platform becomes
 * `unanswered`: a cut connection, a deadline, a proxy's HTML page, an error body that contradicts its status.
 */
export class HttpTransport {
  readonly #agent: Agent;
  readonly #options: HttpTransportOptions;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#agent = new Agent({
      connections: options.connections,
      pipelining: 1,
      allowH2: false,
      maxResponseSize: maxAnswerBytes,
      // Each call has its own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: options.deadlineMs, ...(options.ca === undefined ? {} : { ca: options.ca }) },
    });
  }

  /**
   * Returns the parsed body, undefined where it is empty.
   * @throws {PlatformFailure} `refused` or `unanswered`; or the reason of `signal` when that was aborted.
   */
  async send(call: HttpCall, signal: AbortSignal): Promise<unknown> {
    const started = performance.now();
    let outcome = "noResponse";
    try {
      const body = await this.#exchange(call, signal);
      outcome = "OK";
      return body;
    } catch (error) {
      if (signal.aborted) {
        outcome = "aborted";
        throw signal.reason;
      }
      const failure = error instanceof PlatformFailure ? error : unanswered(call, error);
      if (failure.problem.kind === "refused") outcome = failure.problem.error.code;
      throw failure;
    } finally {
      this.#options.observe?.(call, outcome, (performance.now() - started) / 1000);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #exchange(call: HttpCall, signal: AbortSignal): Promise<unknown> {
    const { status, retryAfter, text } = await this.#answer(call, signal);
    const parsed = parseJson(text);
    if (status >= 200 && status < 300) {
      if (parsed === notJson)
        throw fail(call, { kind: "noResponse", message: `HTTP ${status} with a body that is not JSON` });
      return parsed;
    }
    const retryAfterMs = parseRetryAfter(single(retryAfter), Date.now());
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    const error = parseErrorBody(status, parsed);
    if (error === undefined)
      throw fail(call, {
        kind: "noResponse",
        message: `HTTP ${status} that is not an error of the platform's form`,
        ...wait,
      });
    throw fail(call, { kind: "refused", error, ...wait });
  }

  /** undici's handlers, rather than its streams and signals: those would be most of what a call costs us. */
  #answer(call: HttpCall, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      let controller: Dispatcher.DispatchController | undefined;
      let ended = false;
      let status = 0;
      let retryAfter: Answer["retryAfter"];
      const chunks: Buffer[] = [];
      const end = () => {
        ended = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      };
      const giveUp = (reason: unknown) => {
        if (ended) return;
        end();
        controller?.abort(new Error("nobody waits for it any more"));
        reject(reason);
      };
      const abort = () => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(new Error("no answer within the deadline")), this.#options.deadlineMs);
      signal.addEventListener("abort", abort, { once: true });
      this.#agent.dispatch(
        {
          origin: call.origin,
          path: call.path,
          method: call.method,
          headers: {
            authorization: `Bearer ${call.bearer}`,
            accept: "application/json",
            ...(call.body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(call.body === undefined ? {} : { body: call.body }),
        },
        {
          onRequestStart: (started) => {
            controller = started;
            // Asked when the bytes are about to leave: a process may stand still at any place before.
            if (call.method !== "GET" && this.#options.mayWrite?.() === false)
              giveUp(fail(call, { kind: "paused", retryAfterMs: 0 }));
            // It waited for a connection, and nobody waits for it any more.
            if (ended) started.abort(new Error("nobody waits for it any more"));
          },
          onResponseStart: (_, statusCode, headers) => {
            status = statusCode;
            retryAfter = headers["retry-after"];
          },
          onResponseData: (_, chunk) => {
            chunks.push(chunk);
          },
          onResponseEnd: () => {
            if (ended) return;
            end();
            resolve({ status, retryAfter, text: Buffer.concat(chunks).toString("utf8") });
          },
          onResponseError: (_, error) => giveUp(error),
        },
      );
    });
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | string[] | undefined;
  readonly text: string;
}

const notJson = Symbol("not JSON");

function parseJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return notJson;
  }
}

function fail(call: HttpCall, detail: PlatformProblem): PlatformFailure {
  return new PlatformFailure(call.name, detail);
}

function unanswered(call: HttpCall, error: unknown): PlatformFailure {
  return new PlatformFailure(call.name, { kind: "noResponse", message: problemOf(error) }, { cause: error });
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  const code = "code" in error ? String(error.code) : "";
  return error.message === "" ? code || "no answer" : error.message;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
