import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { Code } from "../errors/api-error.ts";

/** The error messages of the library for bytes that are not a valid message, or not compressed as declared. */
const unreadable = /^(parse binary|decompression failed|received compressed envelope|invalid envelope)/;

/** Codes as in gRPC trailers. Connect's JSON has their names instead. */
const [internal, invalidArgument] = [String(Code.internal), String(Code.invalidArgument)];

/**
 * Wraps a handler so that it rejects invalid messages with code 3 over each protocol. The library reports them as an
 * internal error (13), which clients would retry and which is HTTP status 500 over Connect.
 */
export function rejectingUnreadable(handler: UniversalHandler): UniversalHandler {
  const rejecting: (...args: Parameters<UniversalHandler>) => Promise<UniversalServerResponse> = async (request) => {
    const response = await handler(request);
    return response.status === 500 ? ofConnect(response) : ofGrpc(response);
  };
  return Object.assign(rejecting, handler);
}

/** Over gRPC the code is in the trailers, over gRPC-web in the last frame of the body. */
function ofGrpc(response: UniversalServerResponse): UniversalServerResponse {
  const { body, trailer } = response;
  if (body === undefined) return response;
  const corrected = async function* () {
    for await (const chunk of body) yield isTrailerFrame(chunk) ? correctedFrame(chunk) : chunk;
    if (
      trailer?.get("grpc-status") === internal &&
      unreadable.test(decodeURIComponent(trailer.get("grpc-message") ?? ""))
    )
      trailer.set("grpc-status", invalidArgument);
  };
  return { ...response, body: corrected() };
}

function isTrailerFrame([flags = 0]: Uint8Array): boolean {
  return flags === 0x80;
}

function correctedFrame(frame: Uint8Array): Uint8Array {
  const text = Buffer.from(frame.subarray(5)).toString();
  const [, message = ""] = /^grpc-message: *(.*)$/m.exec(text) ?? [];
  if (!unreadable.test(decodeURIComponent(message.trim()))) return frame;
  const corrected = Buffer.from(text.replace(/^(grpc-status: *)13/m, `$1${invalidArgument}`));
  const head = Buffer.from([0x80, 0, 0, 0, 0]);
  head.writeUInt32BE(corrected.length, 1);
  return Buffer.concat([head, corrected]);
}

async function ofConnect(response: UniversalServerResponse): Promise<UniversalServerResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const body = (all: Uint8Array[]) =>
    (async function* () {
      yield* all;
    })();
  // Only large messages are compressed, and these errors are small.
  const error = text.startsWith("{") ? (JSON.parse(text) as { code?: string; message?: string }) : {};
  if (error.code !== "internal" || !unreadable.test(error.message ?? "")) return { ...response, body: body(chunks) };
  const corrected = Buffer.from(JSON.stringify({ ...error, code: "invalid_argument" }));
  const header = new Headers(response.header);
  header.set("content-length", String(corrected.length));
  return { ...response, status: 400, header, body: body([corrected]) };
}
