import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import { cancelled } from "../errors/api-error.ts";
import { responsePartBytes } from "../limits/size-limits.ts";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { addressShare, type Share } from "../shares/share.ts";
import type { Turns } from "../shares/turns.ts";
import { breakResponse } from "./break-response.ts";
import type { ClientAddresses } from "./client-address.ts";
import type { CrossOrigin } from "./cross-origin.ts";
import type { Http2Sessions } from "./http2-sessions.ts";
import type { HttpHandler, HttpRequest, HttpResponse, RpcHandler, WholeResponse } from "./http-handler.ts";
import { originForm } from "./origin-form.ts";
import type { PortLimits } from "./port-limits.ts";
import { readBody } from "./read-body.ts";
import type { RequestRejection } from "./request-rejection.ts";
import { sendResponse } from "./send-response.ts";
import { invalidSingleton } from "./singleton-headers.ts";

/** Which handler serves a request. A "stream" is a call that may last as long as its client wants. */
export type RequestKind = "http" | "rpc" | "stream";

/** The handlers of the port. */
export interface PortHandlers {
  readonly kindOf: (request: HttpRequest) => RequestKind;
  readonly rpc: () => Promise<RpcHandler>;
  /** Which pages may read the responses; undefined for those of the platform alone. */
  readonly crossOrigin?: CrossOrigin | undefined;
  readonly http: HttpHandler;
  /** The response to a request that no handler sees. */
  readonly rejection: (rejection: RequestRejection) => WholeResponse;
}

export interface RequestDispatcherOptions {
  /** Requests wait until it resolves. */
  readonly handlers: Promise<PortHandlers>;
  readonly limits: PortLimits;
  readonly addresses: ClientAddresses;
  readonly turns: Turns;
  readonly http2: Pick<Http2Sessions, "peerOf" | "countRefusal">;
}

/** A request that is well-formed, its response, and who serves it. */
interface Exchange {
  readonly handlers: PortHandlers;
  readonly kind: RequestKind;
  readonly request: HttpRequest;
  readonly response: ServerResponse;
}

/** An exchange that is counted, at the expense of its client. */
interface AdmittedExchange extends Exchange {
  /** The address of the client. */
  readonly address: string;
  readonly shares: readonly Share[];
  readonly lease: Lease;
}

/** The bytes of a body whose turn counts as much as that of a request without one. */
const bytesOfRequest = 16 * 1024;
/** Smaller responses do not count: they fit into what each request counts. */
const countedResponse = 16 * 1024;

/**
 * Passes requests to their handlers, with limits on size and time.
 *
 * **Expected flow.** A request is refused if its headers are not valid, or if there are too many; then it waits for the turn of its
 * client, and is served as a stream, a remote procedure call or one of HTTP.
 */
export class RequestDispatcher {
  readonly #options: RequestDispatcherOptions;
  /** Bytes of open requests. */
  readonly #requests: Pool;
  readonly #streamingCalls: Pool;

  constructor(options: RequestDispatcherOptions) {
    this.#options = options;
    this.#requests = new Pool(options.limits.requestMemory);
    this.#streamingCalls = new Pool(options.limits.streamingCalls);
  }

  /** Responds to a request, or ends its connection. Never rejects. */
  async dispatch(request: HttpRequest, response: ServerResponse): Promise<void> {
    try {
      const handlers = await this.#options.handlers;
      if (request.httpVersionMajor === 1 && request.socket.destroyed) return;
      request.url = originForm(request.url ?? "/");
      const exchange = { handlers, kind: handlers.kindOf(request), request, response };
      const invalid = invalidSingleton(request);
      await (invalid === undefined ? this.#admit(exchange) : this.#refuse(exchange, invalid));
    } catch {
      // Handlers convert their own errors to responses, so the connection is broken, or the response cannot be completed.
      breakOff(request, response);
    }
  }

  /** Counts a request until its response has been sent, if there are not too many. */
  #admit(exchange: Exchange): Promise<void> | undefined {
    const { handlers, request, response, kind } = exchange;
    const { addresses, http2, limits } = this.#options;
    const preflight = handlers.crossOrigin?.prepare(request, response);
    const peer = "stream" in request ? http2.peerOf(request) : request.socket.remoteAddress;
    const address = addresses.of(peer, request.headers);
    const shares = [addressShare(address)];
    const lease = response.destroyed ? undefined : Lease.take(this.#requests, shares, limits.headerBytes);
    if (lease === undefined) return this.#refuse(exchange, "overloaded");
    response.on("close", () => lease.release());
    if (preflight !== undefined) return sendResponse(response, preflight);
    const admitted = { ...exchange, address, shares, lease };
    return kind === "stream" ? this.#serveStream(admitted) : this.#serveCall(admitted);
  }

  /** Responds to a request that no handler sees. */
  async #refuse({ handlers, kind, request, response }: Exchange, rejection: RequestRejection): Promise<void> {
    // A client cannot be refused without a pause: its connection ends, over HTTP/2 after many refusals.
    if ("stream" in request) this.#options.http2.countRefusal(request);
    else response.setHeader("connection", "close");
    if (kind === "http") return sendResponse(response, handlers.rejection(rejection));
    const rpc = await handlers.rpc();
    rpc.reject(request, response, rejection);
  }

  async #serveStream(exchange: AdmittedExchange): Promise<void> {
    const { handlers, request, response, shares } = exchange;
    const turn = () => this.#options.turns.take(shares, 1);
    await turn();
    const call = response.destroyed ? undefined : Lease.take(this.#streamingCalls, shares);
    if (call === undefined) return this.#refuse(exchange, "overloaded");
    response.on("close", () => call.release());
    const rpc = await handlers.rpc();
    rpc.stream(request, response, async () => turn());
  }

  /** Serves a request whose body and response are whole, within the time limit of a call. */
  async #serveCall(exchange: AdmittedExchange): Promise<void> {
    const { handlers, kind, request, response, address, shares, lease } = exchange;
    const { limits, turns } = this.#options;
    const timer = setTimeout(() => abandon(request), limits.callTime);
    response.on("close", () => clearTimeout(timer));
    const turn = (bytes = 0) => turns.take(shares, 1 + bytes / bytesOfRequest);
    const begin = turn();
    if (begin !== undefined) await begin;
    if (response.destroyed) return;
    const body = async () => {
      const received = await readBody(request, response, lease, limits, turn);
      // To read what was received takes long, too.
      if (received === undefined || received.length > 0) await turn(received?.length);
      if (response.destroyed) throw cancelled("the client disconnected");
      return received;
    };
    // A client that does not read its responses must not fill the memory with them.
    const reserve = (bytes: number) => bytes < countedResponse || lease.grow(bytes);
    if (kind === "rpc") {
      const rpc = await handlers.rpc();
      rpc.call(request, response, { readBody: body, address, reserve });
    } else await this.#sendResult(exchange, await handlers.http(request, body, address), reserve);
  }

  async #sendResult(
    { handlers, request, response }: Exchange,
    result: HttpResponse,
    reserve: (bytes: number) => boolean,
  ): Promise<void> {
    // The response to a change is sent in any case: the change was made.
    // One part at a time is in memory.
    const bytes = typeof result.body === "string" ? result.body.length : responsePartBytes;
    if (!reserve(bytes) && isRead(request)) return sendResponse(response, handlers.rejection("overloaded"));
    const { responseFault } = result;
    if (response.destroyed) return;
    if (responseFault !== undefined) breakResponse(request, response, responseFault);
    if (response.destroyed || responseFault === "reset") return;
    await sendResponse(response, result);
  }
}

/** Whether the request changes nothing. */
function isRead({ method }: HttpRequest): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Ends a response so that the client sees that it is not complete: by the end of the connection over HTTP/1.1. A stream of HTTP/2 that is
 * destroyed without an error code ends without an error at the client.
 */
function breakOff(request: HttpRequest, response: ServerResponse): void {
  if ("stream" in request) request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/** Ends a call that took too long: its stream over HTTP/2, its connection over HTTP/1.1. */
function abandon(request: HttpRequest): void {
  if ("stream" in request) request.stream.close(constants.NGHTTP2_CANCEL);
  else request.socket.destroy();
}
