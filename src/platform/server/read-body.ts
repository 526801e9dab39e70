import type { ServerResponse } from "node:http";
import { cancelled } from "../errors/api-error.ts";
import type { HttpRequest } from "./http-server.ts";

/**
 * The body of a request, whole; `undefined` where it is larger than the limit.
 * @throws ApiError (1) where the client went away
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
        // The rest is not read: over HTTP/1.1, the connection cannot be used again.
        if (isHttp1) response.setHeader("connection", "close");
        request.pause();
        resolve(undefined);
        return;
      }
      chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    const gone = () => reject(cancelled("the client went away"));
    request.on("aborted", gone);
    request.on("error", gone);
  });
}
