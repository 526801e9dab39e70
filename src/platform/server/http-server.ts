import { createServer as createHttp1Server, type Server as Http1Server, type ServerResponse } from "node:http";
import {
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { cancelled } from "../errors/api-error.ts";
import { breakResponse } from "./break-response.ts";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { addressShare } from "../shares/share.ts";
import { ClientAddresses } from "./client-address.ts";
import { ConnectionLimits } from "./connection-limits.ts";
import type { HttpHandler, HttpRequest, HttpResponse, RpcHandler, WholeResponse } from "./http-handler.ts";
import { type PortLimits, portLimits } from "./port-limits.ts";
import { sniffingServer } from "./protocol-sniffer.ts";
import { readBody } from "./read-body.ts";
import { rejectRequest } from "./reject-request.ts";
import type { RequestRejection } from "./request-rejection.ts";
import type { TlsFiles } from "./tls-files.ts";
import { tlsServer } from "./tls-port.ts";
import { Turns } from "./turns.ts";

/** The handlers of the port. */
export interface PortHandlers {
  /** Which handler serves the request. A "stream" is a call that may last as long as its client wants. */
  readonly kindOf: (request: HttpRequest) => "http" | "rpc" | "stream";
  readonly rpc: RpcHandler;
  readonly http: HttpHandler;
  /** The response to a request that no handler sees. */
  readonly rejection: (rejection: RequestRejection) => WholeResponse;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Serves only TLS if set. */
  readonly tls?: TlsFiles | undefined;
  readonly limits?: PortLimits;
  /** Ranges of addresses of proxies that are trusted to name the addresses of their clients. */
  readonly trustedProxies?: readonly string[];
}

/** Smaller responses do not count: they fit into what each request counts. */
const countedResponse = 16 * 1024;
/** The requests of an HTTP/1.1 connection whose responses have not been sent. */
const maximumPipelined = 32;
/** The requests of an HTTP/2 connection that are refused before it is closed. */
const maximumRefusals = 100;
/** The most that is in memory of a response in parts. */
const partBytes = 1024 * 1024;

/** The port of the platform: HTTP/1.1 and HTTP/2, with or without TLS, with limits on size and time. */
export class HttpServer {
  readonly #port: Server;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  /** The HTTP/2 sessions with the number of running requests. */
  readonly #sessions = new Map<ServerHttp2Session, number>();
  readonly #scheme: "http" | "https";
  readonly #limits: PortLimits;
  readonly #addresses: ClientAddresses;
  /** Bytes of open requests. */
  readonly #requests: Pool;
  readonly #streamingCalls: Pool;
  readonly #turns = new Turns();
  /** The refused requests of each HTTP/2 session. */
  readonly #refusals = new WeakMap<Http2Session, number>();

  /** @throws Error if a trusted proxy is not a range of addresses */
  private constructor(
    { tls, limits = portLimits, trustedProxies = [] }: ListenOptions,
    handlers: Promise<PortHandlers>,
  ) {
    this.#limits = limits;
    this.#addresses = new ClientAddresses(trustedProxies);
    this.#requests = new Pool(limits.requestMemory);
    this.#streamingCalls = new Pool(limits.streamingCalls);
    const onRequest = (request: HttpRequest, response: ServerResponse) =>
      void this.#respond(handlers, request, response);
    const onStream = (request: Http2ServerRequest, response: Http2ServerResponse) => {
      response.stream.once("wantTrailers", () => setImmediate(() => endRequest(response.stream)));
      // In Node's compatibility API, the used part of both response types is the same.
      onRequest(request, response as unknown as ServerResponse);
    };
    this.#http1 = createHttp1Server(
      {
        maxHeaderSize: limits.headerBytes,
        // Checked in `respond`, so that the response has the standard error format.
        requireHostHeader: false,
        headersTimeout: Math.min(limits.headersTime, limits.callTime),
        requestTimeout: limits.callTime,
        keepAliveTimeout: limits.idleTime,
        connectionsCheckingInterval: Math.min(limits.headersTime, limits.callTime) / 2,
      },
      onRequest,
    );
    this.#http1.setTimeout(limits.idleTime);
    // The last response of each connection: a malformed request must not be rejected in the middle of it.
    const running = new WeakMap<Socket, ServerResponse>();
    this.#http1.prependListener("request", (request, response) => void running.set(request.socket, response));
    // Node begins all requests that have arrived, and no client in use sends several before their responses.
    const open = new WeakMap<Socket, number>();
    const count = (socket: Socket, change: number) => {
      const requests = (open.get(socket) ?? 0) + change;
      open.set(socket, requests);
      if (requests > maximumPipelined) socket.destroy();
    };
    this.#http1.prependListener("request", ({ socket }, response) => {
      count(socket, 1);
      response.once("close", () => count(socket, -1));
    });
    // Expectations other than `100-continue` may be ignored.
    this.#http1.on("checkExpectation", (request, response) => void this.#http1.emit("request", request, response));
    this.#http1.on("clientError", (error, socket) => {
      void handlers.then(
        ({ rejection }) => rejectRequest(error, socket, running.get(socket as Socket), rejection),
        () => socket.destroy(),
      );
    });
    // This server never listens itself. Without this event it would not enforce its timeouts.
    this.#http1.emit("listening");
    this.#http2 = createHttp2Server(
      {
        maxSessionMemory: 10,
        settings: { maxConcurrentStreams: limits.streams, maxHeaderListSize: limits.headerBytes },
      },
      onStream,
    );
    this.#http2.setTimeout(limits.idleTime);
    this.#http2.on("session", (session) => {
      this.#sessions.set(session, 0);
      session.once("close", () => this.#sessions.delete(session));
      session.on("stream", (stream) => {
        this.#count(session, 1);
        stream.once("close", () => this.#count(session, -1));
      });
    });
    const connections = new ConnectionLimits(limits, this.#addresses);
    const onHttp1 = (socket: Socket) => {
      connections.opened(socket);
      this.#http1.emit("connection", socket);
    };
    const onHttp2 = (socket: Socket) => {
      connections.opened(socket);
      this.#http2.emit("connection", socket);
    };
    this.#port =
      tls === undefined
        ? sniffingServer(limits.openingTime, onHttp1, onHttp2)
        : tlsServer(tls, limits.openingTime, onHttp1, onHttp2);
    connections.limit(this.#port);
    this.#scheme = tls === undefined ? "http" : "https";
  }

  /** Listens at once; requests wait until `handlers` resolves. @throws Error if the address is in use */
  static async listen(options: ListenOptions, handlers: Promise<PortHandlers>): Promise<HttpServer> {
    const server = new HttpServer(options, handlers);
    const { host, port } = options;
    await new Promise<void>((resolve, reject) => {
      server.#port.once("error", reject);
      server.#port.listen({ host, port }, () => {
        server.#port.off("error", reject);
        resolve();
      });
    });
    return server;
  }

  /** `127.0.0.1:8080`, `[::1]:8080` */
  get address(): string {
    const { address, port } = this.#port.address() as AddressInfo;
    return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  }

  /** `http://127.0.0.1:8080`, `https://[::1]:8443` */
  get url(): string {
    return `${this.#scheme}://${this.address}`;
  }

  /** The number of open connections. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#port.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );
  }

  /** Accepts no more connections, completes running requests, and aborts those that still run after the grace period (ms). */
  async close(grace: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#port.close(() => resolve()));
    for (const session of this.#sessions.keys()) session.close();
    // Close connections that become idle after their last response.
    const sweep = setInterval(() => this.#closeIdle(), 50);
    this.#closeIdle();
    const timer = setTimeout(() => {
      this.#http1.closeAllConnections();
      for (const session of this.#sessions.keys()) session.destroy();
    }, grace);
    await closed;
    clearTimeout(timer);
    clearInterval(sweep);
    this.#http1.close();
  }

  #closeIdle(): void {
    this.#http1.closeIdleConnections();
    // Node leaves a session open if its last response was still being sent when it was closed.
    for (const [session, running] of this.#sessions) if (running === 0) session.destroy();
  }

  #count(session: ServerHttp2Session, change: number): void {
    const running = this.#sessions.get(session);
    if (running !== undefined) this.#sessions.set(session, running + change);
  }

  async #respond(handlers: Promise<PortHandlers>, request: HttpRequest, response: ServerResponse): Promise<void> {
    try {
      if (request.httpVersionMajor === 1 && request.socket.destroyed) return;
      const { kindOf, rpc, http, rejection } = await handlers;
      if (request.httpVersion === "1.1" && request.headers.host === undefined) {
        response.setHeader("connection", "close");
        return send(response, rejection("malformed"));
      }
      const kind = kindOf(request);
      const address = this.#addresses.of(request.socket.remoteAddress, request.headers);
      const lease = this.#admit(address, response);
      if (lease === undefined) {
        this.#endAfterRefusal(request, response);
        return kind === "http" ? send(response, rejection("overloaded")) : rpc.reject(request, response, "overloaded");
      }
      const turn = (bytes = 0) => this.#turns.take([addressShare(address)], bytes);
      if (kind === "stream") {
        await turn();
        if (!this.#admitStream(address, response)) {
          this.#endAfterRefusal(request, response);
          return rpc.reject(request, response, "overloaded");
        }
        return rpc.stream(request, response, async () => turn());
      }
      const timer = setTimeout(() => abandon(request), this.#limits.callTime);
      response.once("close", () => clearTimeout(timer));
      await turn();
      if (response.destroyed) return;
      const body = async () => {
        const received = await readBody(request, response, lease, this.#limits, turn);
        // To read what was received takes long, too.
        if (received === undefined || received.length > 0) await turn(received?.length);
        if (response.destroyed) throw cancelled("the client disconnected");
        return received;
      };
      // A client that does not read its responses must not fill the memory with them.
      const reserve = (bytes: number) => bytes < countedResponse || lease.grow(bytes);
      if (kind === "rpc") return rpc.call(request, response, { readBody: body, address, reserve });
      const result = await http(request, body, address);
      // The response to a change is sent in any case: the change was made.
      const bytes = typeof result.body === "string" ? result.body.length : partBytes;
      if (!reserve(bytes) && request.method === "GET") return send(response, rejection("overloaded"));
      const { responseFault } = result;
      if (response.destroyed) return;
      if (responseFault !== undefined) breakResponse(request, response, responseFault);
      if (response.destroyed || responseFault === "reset") return;
      await send(response, result);
    } catch {
      // Handlers convert their own errors to responses, so the connection is broken.
      response.destroy();
    }
  }

  /** Counts a request until its response has been sent. @returns undefined if there are too many */
  #admit(address: string, response: ServerResponse): Lease | undefined {
    if (response.destroyed) return undefined;
    const lease = Lease.take(this.#requests, [addressShare(address)], this.#limits.headerBytes);
    if (lease !== undefined) response.once("close", () => lease.release());
    return lease;
  }

  /** Ends a connection after a refusal, so that a client cannot be refused without a pause: over HTTP/2, after many. */
  #endAfterRefusal(request: HttpRequest, response: ServerResponse): void {
    if (!("stream" in request)) return void response.setHeader("connection", "close");
    const { session } = request.stream;
    if (session === undefined) return;
    const refusals = (this.#refusals.get(session) ?? 0) + 1;
    this.#refusals.set(session, refusals);
    if (refusals === maximumRefusals) session.close();
  }

  /** Counts a streaming call until it ends. @returns whether there are not too many */
  #admitStream(address: string, response: ServerResponse): boolean {
    if (response.destroyed) return false;
    const lease = Lease.take(this.#streamingCalls, [addressShare(address)]);
    if (lease !== undefined) response.once("close", () => lease.release());
    return lease !== undefined;
  }
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse): Promise<void> | undefined {
  if (typeof body !== "string") {
    response.writeHead(status, headers);
    return sendParts(response, body);
  }
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
  return undefined;
}

/** Sends a body in parts, each when the client has received those before it. An error in a part ends the connection. */
async function sendParts(response: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  let isClosed = false;
  let wake = () => {};
  response.on("drain", () => wake());
  response.once("close", () => {
    isClosed = true;
    wake();
  });
  for await (const part of parts) {
    const isFull = !response.write(part);
    if (isFull && !isClosed) await new Promise<void>((resolve) => (wake = resolve));
    if (isClosed) return;
  }
  response.end();
}

/** Ends a call that took too long: its stream over HTTP/2, its connection over HTTP/1.1. */
function abandon(request: HttpRequest): void {
  if ("stream" in request) request.stream.close(constants.NGHTTP2_CANCEL);
  else request.socket.destroy();
}

/** Closes a stream after its response. A client that keeps sending would otherwise keep the stream open. */
function endRequest(stream: ServerHttp2Stream): void {
  if (!stream.closed && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR);
}
