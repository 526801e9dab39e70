import { type ApiError, Code } from "../errors/api-error.ts";
import { bearerOf } from "../server/bearer.ts";
import type { BodyReader, HttpHandler, HttpRequest, WholeResponse } from "../server/http-handler.ts";
import { rejectionErrors, type RequestRejection } from "../server/request-rejection.ts";
import type { CallRunner } from "../service/call-runner.ts";
import { MethodNotAllowed } from "./method-not-allowed.ts";
import { httpStatusOf, restErrorOf } from "./rest-error.ts";
import type { RestRequest, Transcoder } from "./transcoder.ts";

/** Responses are private to their caller and must not be cached. */
const withoutBody = { "cache-control": "no-store" };
const responseHeaders = { "content-type": "application/json", ...withoutBody };

/** The REST API over HTTP. */
export function restHandler(transcoder: Transcoder, runner: CallRunner, errorDomain: string): HttpHandler {
  return async (request, readBody, address) => {
    const find = async () => {
      const { operation, run } = transcoder.find(await restRequestOf(request, readBody));
      return { operation: operation.name, run };
    };
    const result = await runner.run(find, { address, traceparent: traceparentOf(request) });
    const { responseFault } = result;
    if (result.kind === "response") {
      const { value: body } = result;
      return { status: 200, headers: body === "" ? withoutBody : responseHeaders, body, responseFault };
    }
    return { ...errorResponse(result.error, errorDomain), responseFault };
  };
}

function traceparentOf({ headers: { traceparent } }: HttpRequest): string | undefined {
  return typeof traceparent === "string" ? traceparent : undefined;
}

/** The response to a request that no handler sees. Over HTTP/1.1 the connection ends with it. */
export function rejectionResponse(rejection: RequestRejection, domain: string): WholeResponse {
  return errorResponse(rejectionErrors[rejection], domain);
}

async function restRequestOf(request: HttpRequest, readBody: BodyReader): Promise<RestRequest> {
  const { method = "GET", url = "/", headers } = request;
  const body = await readBody();
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

/** The response for an error. */
export function errorResponse(error: ApiError, domain: string): WholeResponse {
  const headers: Record<string, string> = { ...responseHeaders };
  if (error.code === Code.unauthenticated) headers["www-authenticate"] = "Bearer";
  if (error.detail?.kind === "retry") headers["retry-after"] = error.detail.seconds.toString();
  if (error instanceof MethodNotAllowed) headers["allow"] = error.allowed.join(", ");
  const status = error instanceof MethodNotAllowed ? error.status : httpStatusOf(error.code);
  return { status, headers, body: JSON.stringify(restErrorOf(error, domain)) };
}
