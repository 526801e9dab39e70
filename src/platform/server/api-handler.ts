import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { ApiError, Code, invalidArgument, resourceExhausted, unavailable } from "../errors/api-error.ts";
import { httpStatusOf, restErrorOf } from "../errors/rest-error.ts";
import { StoreUnavailableError } from "../store/store.ts";
import type { Transcoder } from "../rest/transcoder.ts";
import type { BodyReader, HttpAnswer, HttpHandler } from "./http-server.ts";
import type { Metrics } from "./metrics.ts";

export interface ApiHandlerOptions {
  readonly transcoder: Transcoder;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly errorDomain: string;
  /** Milliseconds that each answer waits: a test aid. */
  readonly latency: number;
  /** Calls beyond so many at once are told to come back: better than all of them late. */
  readonly maximumInFlight: number;
}

/** Seconds after which a call that was sent away is worth another try. */
const retryAfter = 1;

/** Answers what is private to its caller: it is for no cache. */
const answerHeaders = { "content-type": "application/json", "cache-control": "no-store" };

/** The REST API over HTTP: each call counted, each error turned into its wire form here and nowhere else. */
export function apiHandler(options: ApiHandlerOptions): HttpHandler {
  const { transcoder, metrics, log, errorDomain, latency, maximumInFlight } = options;
  let inFlight = 0;
  return async (request, readBody) => {
    const started = performance.now();
    let operation = "unknown";
    let code: Code | 0 = 0;
    let answer: HttpAnswer;
    metrics.inFlight.set(++inFlight);
    try {
      if (inFlight > maximumInFlight) throw resourceExhausted("too many calls at once", retryAfter);
      const call = transcoder.find(await restRequestOf(request, readBody));
      operation = call.operation.name;
      const body = await call.run();
      answer = { status: 200, headers: answerHeaders, body };
    } catch (thrown) {
      const error = apiErrorOf(thrown, operation, log);
      code = error.code;
      answer = errorAnswer(error, errorDomain);
    }
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    metrics.inFlight.set(--inFlight);
    const seconds = (performance.now() - started) / 1_000;
    metrics.observe(operation, code, seconds);
    log.debug({ operation, code, seconds }, "answered");
    return answer;
  };
}

async function restRequestOf(request: IncomingMessage, readBody: BodyReader) {
  const { method = "GET", url = "/", headers } = request;
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  const body = hasBody ? await readBody() : Buffer.alloc(0);
  if (body === undefined) throw invalidArgument("body", "must not be larger than 1 MiB");
  const mark = url.indexOf("?");
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? "" : url.slice(mark + 1),
    contentType: headers["content-type"],
    body,
    bearer: bearerOf(headers.authorization),
  };
}

/** The scheme's name is case-insensitive. */
function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.slice(0, 7).toLowerCase() !== "bearer ") return undefined;
  return authorization.slice(7).trim();
}

function apiErrorOf(thrown: unknown, operation: string, log: Logger): ApiError {
  if (thrown instanceof ApiError) return thrown;
  log.error({ err: thrown, operation }, "call failed");
  if (thrown instanceof StoreUnavailableError) return unavailable("nothing was changed; try again");
  return new ApiError(Code.internal, "INTERNAL", "Internal: the call failed; the platform's log says why");
}

function errorAnswer(error: ApiError, domain: string): HttpAnswer {
  const headers: Record<string, string> = { ...answerHeaders };
  if (error.code === Code.unauthenticated) headers["www-authenticate"] = "Bearer";
  if (error.detail?.kind === "retry") headers["retry-after"] = error.detail.seconds.toString();
  return { status: httpStatusOf(error.code), headers, body: JSON.stringify(restErrorOf(error, domain)) };
}
