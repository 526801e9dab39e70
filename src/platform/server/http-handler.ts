import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { ResponseFault } from "../faults/fault-rule.ts";

export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** A complete response: the REST API streams nothing. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty for a response without a body. */
  readonly body: string;
  /** How the response is broken on demand; undefined to send it intact. */
  readonly responseFault?: ResponseFault | undefined;
}

/** Reads the whole body; `undefined` if it is larger than the limit. */
export type BodyReader = () => Promise<Buffer | undefined>;

/** Handles a request and returns the whole response. */
export type HttpHandler = (request: HttpRequest, readBody: BodyReader) => Promise<HttpResponse>;

/** Handles a request and writes the response itself, as Node libraries do. */
export type NodeHandler = (request: HttpRequest, response: ServerResponse) => void;
