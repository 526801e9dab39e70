import { constants } from "node:http2";
import type { ServerResponse } from "node:http";
import type { ResponseFault } from "../faults/fault-rule.ts";
import type { HttpRequest } from "./http-handler.ts";

/**
 * Breaks the response: resets it at once, or truncates it at its first write. A reset ends the stream over HTTP/2, and the
 * connection over HTTP/1.1.
 */
export function breakResponse(request: HttpRequest, response: ServerResponse, fault: ResponseFault): void {
  if (fault === "reset") reset(request);
  else truncate(request, response);
}

function reset(request: HttpRequest): void {
  if ("stream" in request) request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else request.socket.resetAndDestroy();
}

/** Sends half of the first chunk of the body, then resets once that half is written. */
function truncate(request: HttpRequest, response: ServerResponse): void {
  const write = response.write.bind(response);
  const cut = (chunk: unknown): boolean => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array | undefined);
    if (bytes === undefined || bytes.length < 2) reset(request);
    else write(bytes.subarray(0, bytes.length >> 1), () => reset(request));
    return true;
  };
  response.write = cut as typeof response.write;
  response.end = ((chunk?: unknown) => {
    cut(chunk);
    return response;
  }) as typeof response.end;
}
