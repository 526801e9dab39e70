import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WholeResponse } from "./http-handler.ts";
import type { RequestRejection } from "./request-rejection.ts";

/**
 * Ends an HTTP/1.1 connection whose bytes are not a valid request. Sends an error response first, unless an earlier
 * response is still being written, of which it would become a part.
 * @param running the last response on the connection
 * @param responseTo the response to a rejected request
 */
export function rejectRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  running: ServerResponse | undefined,
  responseTo: (rejection: RequestRejection) => WholeResponse,
): void {
  const isBetween = running === undefined || running.writableFinished || !running.headersSent;
  if (!socket.writable || error.code === "ECONNRESET" || !isBetween) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = responseTo(rejectionOf(error.code));
  const all = {
    ...headers,
    date: new Date().toUTCString(),
    connection: "close",
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
}

function rejectionOf(code: string | undefined): RequestRejection {
  switch (code ?? "") {
    case "HPE_HEADER_OVERFLOW":
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return "headersTooLarge";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "timeout";
    default:
      return "malformed";
  }
}
