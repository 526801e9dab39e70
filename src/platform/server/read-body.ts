import type { ServerResponse } from "node:http";
import { cancelled } from "../errors/api-error.ts";
import type { HttpRequest } from "./http-handler.ts";

/**
 * Reads the whole body of a request. @returns `undefined` if it is larger than the limit.
 * @throws ApiError (1) if the client disconnects
 */
export function readBody(
  request: HttpRequest,
  response: ServerResponse,
  maximumBytes: number,
): Promise<Buffer | undefined> {
  const { headers, httpVersionMajor } = request;
  const isHttp1 = httpVersionMajor === 1;
  if (isHttp1 && headers["content-length"] === undefined && headers["transfer-encoding"] === undefined)
    return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) {
        // The rest of the body is not read, so an HTTP/1.1 connection cannot be reused.
        if (isHttp1) response.setHeader("connection", "close");
        request.pause();
        resolve(undefined);
        return;
      }
      chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    const disconnected = () => reject(cancelled("the client disconnected"));
    request.on("aborted", disconnected);
    request.on("error", disconnected);
  });
}
