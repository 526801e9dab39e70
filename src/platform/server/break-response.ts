import { constants } from "node:http2";
import type { ServerResponse } from "node:http";
import type { HttpRequest } from "./http-server.ts";

/** How an answer is broken on demand: not sent at all, or half of it. */
export type Breakage = "reset" | "truncate";

/** Breaks what is sent on a response from now on. Over HTTP/2 it is the stream that breaks, over HTTP/1.1 the connection. */
export function breakAnswer(request: HttpRequest, response: ServerResponse, breakage: Breakage): void {
  if (breakage === "reset") reset(request);
  else truncate(request, response);
}

function reset(request: HttpRequest): void {
  if ("stream" in request) request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else request.socket.resetAndDestroy();
}

/** The first piece of a body is sent by half; the reset follows when it is on its way. */
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
