import type { Server as Http1Server, ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { addressShare } from "../shares/share.ts";
import { Turns } from "../shares/turns.ts";
import { ClientAddresses } from "./client-address.ts";
import { ConnectionLimits } from "./connection-limits.ts";
import { http1Server } from "./http1-server.ts";
import { Http2Sessions } from "./http2-sessions.ts";
import type { HttpRequest } from "./http-handler.ts";
import { type PortLimits, portLimits } from "./port-limits.ts";
import { protocolSniffer } from "./protocol-sniffer.ts";
import { type PortHandlers, RequestDispatcher } from "./request-dispatcher.ts";
import type { TlsFiles } from "./tls-files.ts";
import { tlsHandshakes } from "./tls-port.ts";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Serves only TLS if set. */
  readonly tls?: TlsFiles | undefined;
  readonly limits?: PortLimits;
  /** Ranges of addresses of proxies that are trusted to name the addresses of their clients. */
  readonly trustedProxies?: readonly string[];
}

/**
 * The port of the platform: HTTP/1.1 and HTTP/2, with or without TLS. It admits connections, and passes their requests to a
 * `RequestDispatcher`.
 */
export class HttpServer {
  readonly #port: Server;
  readonly #http1: Http1Server;
  readonly #http2: Http2Sessions;
  readonly #scheme: "http" | "https";
  readonly #addresses: ClientAddresses;
  readonly #turns = new Turns();

  /** @throws Error if a trusted proxy is not a range of addresses */
  private constructor(
    { tls, limits = portLimits, trustedProxies = [] }: ListenOptions,
    handlers: Promise<PortHandlers>,
  ) {
    this.#addresses = new ClientAddresses(trustedProxies);
    const onRequest = (request: HttpRequest, response: ServerResponse) => void dispatcher.dispatch(request, response);
    const rejection = handlers.then((all) => all.rejection);
    // Requests that await the handlers receive the error.
    rejection.catch(() => {});
    this.#http1 = http1Server(limits, onRequest, rejection);
    // In Node's compatibility API, the used part of both response types is the same.
    this.#http2 = new Http2Sessions(limits, (request, response) =>
      onRequest(request, response as unknown as ServerResponse),
    );
    const [addresses, turns, http2] = [this.#addresses, this.#turns, this.#http2];
    const dispatcher = new RequestDispatcher({ handlers, limits, addresses, turns, http2 });
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
}
