import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { ResponseFault } from "../faults/fault-rule.ts";
import type { RequestRejection } from "./request-rejection.ts";

export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** A complete response: the REST API streams nothing. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty for a response without a body. A body in parts is sent as fast as the client receives it. */
  readonly body: string | AsyncIterable<string>;
  /** How the response is broken on demand; undefined to send it intact. */
  readonly responseFault?: ResponseFault | undefined;
}

/** A response whose body is complete. */
export type WholeResponse = HttpResponse & { readonly body: string };

/**
 * Reads the whole body; `undefined` if it is larger than the limit.
 * @throws ApiError (1) if the client disconnects, (3) if the body takes too long, (8) if too many bytes are being received
 */
export type BodyReader = () => Promise<Buffer | undefined>;

/** Handles a request and returns the whole response. @param address of the client, for its share of what is limited */
export type HttpHandler = (request: HttpRequest, readBody: BodyReader, address: string) => Promise<HttpResponse>;

/** What the port knows of a remote procedure call and accounts for it. */
export interface IncomingCall {
  readonly readBody: BodyReader;
  /** The address of the client. */
  readonly address: string;
  /** Accounts for the bytes of a response until it is sent. @returns false if too many bytes are open */
  readonly reserve: (bytes: number) => boolean;
}

/** Handles remote procedure calls, and writes the response itself, as Node libraries do. */
export interface RpcHandler {
  /** A call with one request, which is read whole. */
  readonly call: (request: HttpRequest, response: ServerResponse, incoming: IncomingCall) => void;
  /**
   * A call that streams its requests or responses.
   * @param turn resolves when the call may do the next part of its work, so that clients take turns
   */
  readonly stream: (request: HttpRequest, response: ServerResponse, turn: () => Promise<void>) => void;
  /** Sends the error that a rejection stands for. */
  readonly reject: (request: HttpRequest, response: ServerResponse, rejection: RequestRejection) => void;
}
