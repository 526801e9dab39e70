import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpAnswer } from "./http-server.ts";

/** Why a request never came to a handler. */
export type Refusal = "malformed" | "headersTooLarge" | "tooSlow";

/**
 * Ends a connection of HTTP/1.1 whose bytes are no request, with an answer where one can still be told from others.
 * @param running the last answer of the connection
 * @param answerTo the answer to a refusal
 */
export function endClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  running: ServerResponse | undefined,
  answerTo: (refusal: Refusal) => HttpAnswer,
): void {
  const isBetween = running === undefined || running.writableFinished || !running.headersSent;
  if (!socket.writable || error.code === "ECONNRESET" || !isBetween) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = answerTo(refusalOf(error.code));
  const all = {
    ...headers,
    date: new Date().toUTCString(),
    connection: "close",
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
}

function refusalOf(code: string | undefined): Refusal {
  switch (code ?? "") {
    case "HPE_HEADER_OVERFLOW":
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return "headersTooLarge";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "tooSlow";
    default:
      return "malformed";
  }
}
