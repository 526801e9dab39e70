import { type ApiError, Code } from "../errors/api-error.ts";
import type { WholeResponse } from "../server/http-handler.ts";
import { httpStatusOf } from "../rest/rest-error.ts";
import { descriptionOf, nameOf } from "./oauth-error.ts";

export function jsonResponse(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache", ...headers },
    body: JSON.stringify(body),
  };
}

/** The response for an error of an endpoint that programs call. RFC 6749 asks for status 400, unless another says more. */
export function errorResponse(error: ApiError): WholeResponse {
  const name = nameOf(error);
  const body = { error: name, error_description: descriptionOf(error) };
  const isOurs =
    error.code === Code.resourceExhausted || error.code === Code.unavailable || error.code === Code.internal;
  const status = name === "invalid_client" ? 401 : isOurs ? httpStatusOf(error.code) : 400;
  return jsonResponse(status, body, retryAfter(error));
}

export function retryAfter({ detail }: ApiError): Readonly<Record<string, string>> {
  return detail?.kind === "retry" ? { "retry-after": String(detail.seconds) } : {};
}
