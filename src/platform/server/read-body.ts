import type { ServerResponse } from "node:http";
import { type ApiError, cancelled, invalidArgument, resourceExhausted } from "../errors/api-error.ts";
import type { Lease } from "../shares/lease.ts";
import { BodyChunks } from "./body-chunks.ts";
import type { HttpRequest } from "./http-handler.ts";

export interface BodyLimits {
  /** The maximum number of bytes of a body. */
  readonly bodyBytes: number;
  /** Milliseconds in which the whole body has to arrive. */
  readonly bodyTime: number;
}

/** Chunks that are smaller cost little: they wait for nothing. */
const largeChunk = 4 * 1024;

/**
 * Reads the whole body of a request into memory that the lease accounts for.
 * @param turn resolves when the next large chunk may be read, so that clients take turns; undefined for at once
 * @returns `undefined` if it is larger than the limit
 * @throws ApiError (1) if the client disconnects, (3) if the body takes too long, (8) if the lease cannot grow
 */
export function readBody(
  request: HttpRequest,
  response: ServerResponse,
  lease: Lease,
  { bodyBytes, bodyTime }: BodyLimits,
  turn: (bytes: number) => Promise<void> | undefined,
): Promise<Buffer | undefined> {
  if (!hasBody(request)) {
    request.resume();
    return Promise.resolve(Buffer.alloc(0));
  }
  return new Promise((resolve, reject) => {
    const chunks = new BodyChunks();
    let isStopped = false;
    const timer = setTimeout(() => stop(invalidArgument("body", "was not received in time")), bodyTime);
    const add = (chunk: Buffer) => {
      if (chunks.size + chunk.length > bodyBytes) return stop(undefined);
      if (!lease.grow(chunks.memoryFor(chunk)))
        return stop(resourceExhausted("too many bytes of requests are being received; retry later", 1));
      chunks.add(chunk);
      if (chunk.length < largeChunk) return;
      const next = turn(chunk.length);
      if (next === undefined) return;
      request.pause();
      void next.then(() => {
        if (!isStopped) request.resume();
      });
    };
    const complete = () => {
      clearTimeout(timer);
      resolve(chunks.whole());
    };
    const disconnected = () => {
      clearTimeout(timer);
      reject(cancelled("the client disconnected"));
    };
    /** Stops reading. The rest of the body stays unread, so an HTTP/1.1 connection cannot be reused. */
    const stop = (error: ApiError | undefined) => {
      isStopped = true;
      clearTimeout(timer);
      request.off("data", add);
      request.pause();
      if (request.httpVersionMajor === 1 && !response.headersSent) response.setHeader("connection", "close");
      if (error === undefined) resolve(undefined);
      else reject(error);
    };
    request.on("data", add);
    request.on("end", complete);
    request.on("aborted", disconnected);
    request.on("error", disconnected);
  });
}

function hasBody(request: HttpRequest): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}
