import type { Server as Http1Server, ServerResponse } from "node:http";
import { constants } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { cancelled } from "../errors/api-error.ts";
import { responsePartBytes } from "../limits/size-limits.ts";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { addressShare, type Share } from "../shares/share.ts";
import { Turns } from "../shares/turns.ts";
import { breakResponse } from "./break-response.ts";
import { ClientAddresses } from "./client-address.ts";
import { ConnectionLimits } from "./connection-limits.ts";
import type { CrossOrigin } from "./cross-origin.ts";
import { http1Server } from "./http1-server.ts";
import { Http2Sessions } from "./http2-sessions.ts";
import type { HttpHandler, HttpRequest, RpcHandler, WholeResponse } from "./http-handler.ts";
import { originForm } from "./origin-form.ts";
import { type PortLimits, portLimits } from "./port-limits.ts";
import { protocolSniffer } from "./protocol-sniffer.ts";
import { readBody } from "./read-body.ts";
import type { RequestRejection } from "./request-rejection.ts";
import { sendResponse } from "./send-response.ts";
import { invalidSingleton } from "./singleton-headers.ts";
import type { TlsFiles } from "./tls-files.ts";
import { tlsHandshakes } from "./tls-port.ts";

/** The handlers of the port. */
export interface PortHandlers {
  /** Which handler serves the request. A "stream" is a call that may last as long as its client wants. */
  readonly kindOf: (request: HttpRequest) => "http" | "rpc" | "stream";
  readonly rpc: RpcHandler;
  /** Which pages may read the responses; undefined for those of the platform alone. */
  readonly crossOrigin?: CrossOrigin | undefined;
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

/** The bytes of a body whose turn counts as much as that of a request without one. */
const bytesOfRequest = 16 * 1024;
/** Smaller responses do not count: they fit into what each request counts. */
const countedResponse = 16 * 1024;

/** The port of the platform: HTTP/1.1 and HTTP/2, with or without TLS, with limits on size and time. */
export class HttpServer {
  readonly #port: Server;
  readonly #http1: Http1Server;
  readonly #http2: Http2Sessions;
  readonly #scheme: "http" | "https";
  readonly #limits: PortLimits;
  readonly #addresses: ClientAddresses;
  /** Bytes of open requests. */
  readonly #requests: Pool;
  readonly #streamingCalls: Pool;
  readonly #turns = new Turns();

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
    const rejection = handlers.then((all) => all.rejection);
    // Requests that await the handlers receive the error.
    rejection.catch(() => {});
    this.#http1 = http1Server(limits, onRequest, rejection);
    // In Node's compatibility API, the used part of both response types is the same.
    this.#http2 = new Http2Sessions(limits, (request, response) =>
      onRequest(request, response as unknown as ServerResponse),
    );
    const connections = new ConnectionLimits(limits, this.#addresses);
    const onHttp1 = (socket: Socket) => {
      connections.opened(socket);
      // Many new connections can have requests that arrived together.
      this.#inTurn(socket, () => this.#http1.emit("connection", socket));
    };
    const onHttp2 = (socket: Socket) => {
      connections.opened(socket);
      const shares = [addressShare(this.#addresses.of(socket.remoteAddress, {}))];
      this.#http2.serve(socket, (requests) => this.#turns.take(shares, requests));
    };
    this.#port = createServer({ noDelay: true }, (socket) => {
      if (connections.admit(socket)) begin(socket);
    });
    const begin =
      tls === undefined
        ? protocolSniffer(limits.openingTime, onHttp1, onHttp2)
        : tlsHandshakes(this.#port, tls, limits.openingTime, onHttp1, onHttp2);
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
    this.#http2.close();
    // Close connections that become idle after their last response.
    const sweep = setInterval(() => this.#closeIdle(), 50);
    this.#closeIdle();
    const timer = setTimeout(() => {
      this.#http1.closeAllConnections();
      this.#http2.closeAll();
    }, grace);
    await closed;
    clearTimeout(timer);
    clearInterval(sweep);
    this.#http1.close();
  }

  #closeIdle(): void {
    this.#http1.closeIdleConnections();
    this.#http2.closeIdle();
  }

  /** Serves a new connection when its client has its turn. */
  #inTurn(socket: Socket, serve: () => void): void {
    const turn = this.#turns.take([addressShare(this.#addresses.of(socket.remoteAddress, {}))]);
    if (turn === undefined) return serve();
    const giveUp = () => socket.destroy();
    socket.on("error", giveUp);
    void turn.then(() => {
      socket.off("error", giveUp);
      if (!socket.destroyed) serve();
    });
  }

  async #respond(handlers: Promise<PortHandlers>, request: HttpRequest, response: ServerResponse): Promise<void> {
    try {
      const { kindOf, rpc, http, rejection, crossOrigin } = await handlers;
      if (request.httpVersionMajor === 1 && request.socket.destroyed) return;
      request.url = originForm(request.url ?? "/");
      const kind = kindOf(request);
      const invalid = invalidSingleton(request);
      if (invalid !== undefined) {
        this.#endAfterRefusal(request, response);
        return kind === "http" ? sendResponse(response, rejection(invalid)) : rpc.reject(request, response, invalid);
      }
      const preflight = crossOrigin?.prepare(request, response);
      const peer = "stream" in request ? this.#http2.peerOf(request) : request.socket.remoteAddress;
      const address = this.#addresses.of(peer, request.headers);
      const shares = [addressShare(address)];
      const lease = this.#admit(shares, response);
      if (lease === undefined) {
        this.#endAfterRefusal(request, response);
        return kind === "http"
          ? sendResponse(response, rejection("overloaded"))
          : rpc.reject(request, response, "overloaded");
      }
      if (preflight !== undefined) {
        response.on("close", () => lease.release());
        return sendResponse(response, preflight);
      }
      const turn = (bytes = 0) => this.#turns.take(shares, 1 + bytes / bytesOfRequest);
      if (kind === "stream") {
        response.on("close", () => lease.release());
        await turn();
        if (!this.#admitStream(shares, response)) {
          this.#endAfterRefusal(request, response);
          return rpc.reject(request, response, "overloaded");
        }
        return rpc.stream(request, response, async () => turn());
      }
      const timer = setTimeout(() => abandon(request), this.#limits.callTime);
      response.on("close", () => {
        clearTimeout(timer);
        lease.release();
      });
      const begin = turn();
      if (begin !== undefined) await begin;
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
      // One part at a time is in memory.
      const bytes = typeof result.body === "string" ? result.body.length : responsePartBytes;
      if (!reserve(bytes) && isRead(request)) return sendResponse(response, rejection("overloaded"));
      const { responseFault } = result;
      if (response.destroyed) return;
      if (responseFault !== undefined) breakResponse(request, response, responseFault);
      if (response.destroyed || responseFault === "reset") return;
      await sendResponse(response, result);
    } catch {
      // Handlers convert their own errors to responses, so the connection is broken, or the response cannot be completed.
      breakOff(request, response);
    }
  }

  /** Counts a request, until its response has been sent and the lease is released. @returns undefined if there are too many */
  #admit(shares: readonly Share[], response: ServerResponse): Lease | undefined {
    return response.destroyed ? undefined : Lease.take(this.#requests, shares, this.#limits.headerBytes);
  }

  /** Ends a connection after a refusal, so that a client cannot be refused without a pause: over HTTP/2, after many. */
  #endAfterRefusal(request: HttpRequest, response: ServerResponse): void {
    if ("stream" in request) this.#http2.countRefusal(request);
    else response.setHeader("connection", "close");
  }

  /** Counts a streaming call until it ends. @returns whether there are not too many */
  #admitStream(shares: readonly Share[], response: ServerResponse): boolean {
    if (response.destroyed) return false;
    const lease = Lease.take(this.#streamingCalls, shares);
    if (lease !== undefined) response.on("close", () => lease.release());
    return lease !== undefined;
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
