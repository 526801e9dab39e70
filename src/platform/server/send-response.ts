import type { ServerResponse } from "node:http";
import type { HttpResponse } from "./http-handler.ts";

/** Sends a response. Resolves when all parts of its body have been written; undefined for a body that is not in parts. */
export function sendResponse(
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
): Promise<void> | undefined {
  if (typeof body !== "string") {
    response.writeHead(status, headers);
    return sendParts(response, body);
  }
  // RFC 9110, 8.6: a response without content has no length.
  response.writeHead(status, status === 204 ? headers : { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
  return undefined;
}

/**
 * Sends a body in parts, each when the client has received those before it. An error in a part ends the connection. The response to HEAD
 * ends before the first part.
 */
async function sendParts(response: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  let isClosed = false;
  let wake = () => {};
  response.on("drain", () => wake());
  response.once("close", () => {
    isClosed = true;
    wake();
  });
  for await (const part of parts) {
    if (response.req.method === "HEAD") break;
    const isFull = !response.write(part);
    if (isFull && !isClosed) await new Promise<void>((resolve) => (wake = resolve));
    if (isClosed) return;
  }
  response.end();
}
