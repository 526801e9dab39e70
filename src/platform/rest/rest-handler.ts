import { type ApiError, Code, invalidArgument } from "../errors/api-error.ts";
import { httpStatusOf, restErrorOf } from "./rest-error.ts";
import { bearerOf } from "../server/bearer.ts";
import type { CallRunner } from "#src/platform/service/call-runner.ts";
import type { Refusal } from "#src/platform/server/reject-request.ts";
import type { BodyReader, HttpAnswer, HttpHandler, HttpRequest } from "../server/http-server.ts";
import type { RestRequest, Transcoder } from "./transcoder.ts";

/** Answers what is private to its caller: it is for no cache. */
const answerHeaders = { "content-type": "application/json", "cache-control": "no-store" };

/** The REST API over HTTP. */
export function restHandler(transcoder: Transcoder, runner: CallRunner, errorDomain: string): HttpHandler {
  return async (request, readBody) => {
    const outcome = await runner.run(async () => {
      const { operation, run } = transcoder.find(await restRequestOf(request, readBody));
      return { operation: operation.name, run };
    });
    const { breakage } = outcome;
    if (outcome.kind === "answer") return { status: 200, headers: answerHeaders, body: outcome.value, breakage };
    return { ...errorAnswer(outcome.error, errorDomain), breakage };
  };
}

/** The answer to what never became a request; over HTTP/1.1 the connection ends with it. */
export function refusalAnswer(refusal: Refusal, domain: string): HttpAnswer {
  return errorAnswer(refusals[refusal], domain);
}

const refusals: Readonly<Record<Refusal, ApiError>> = {
  malformed: invalidArgument("request", "must be HTTP"),
  headersTooLarge: invalidArgument("headers", "must not be larger than 32 KiB"),
  tooSlow: invalidArgument("request", "must arrive sooner"),
};

async function restRequestOf(request: HttpRequest, readBody: BodyReader): Promise<RestRequest> {
  const { method = "GET", url = "/", headers } = request;
  const body = await readBody();
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

/** An error in its form over REST. */
export function errorAnswer(error: ApiError, domain: string): HttpAnswer {
  const headers: Record<string, string> = { ...answerHeaders };
  if (error.code === Code.unauthenticated) headers["www-authenticate"] = "Bearer";
  if (error.detail?.kind === "retry") headers["retry-after"] = error.detail.seconds.toString();
  return { status: httpStatusOf(error.code), headers, body: JSON.stringify(restErrorOf(error, domain)) };
}
