import {
  createServer as createHttp1Server,
  type IncomingMessage,
  type Server as Http1Server,
  type ServerResponse,
} from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { sniffingServer } from "./protocol-sniffer.ts";

/** No request of the contract is larger; the largest is a JWKS document. */
const maximumBodyBytes = 1024 * 1024;
/** A bearer token is a few KiB at most. */
const maximumHeaderBytes = 32 * 1024;
const maximumStreams = 250;
/** Longer than clients keep theirs (ms), so that the server is not the one to close under a request. */
const idleTime = 75_000;

export type HttpRequest = IncomingMessage | Http2ServerRequest;
type HttpResponse = ServerResponse;

/** Answers by itself, as libraries for Node do. */
export type NodeHandler = (request: HttpRequest, response: HttpResponse) => void;

/** An answer, whole: the API streams nothing. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty for none. */
  readonly body: string;
}

export type HttpHandler = (request: HttpRequest, body: BodyReader) => Promise<HttpAnswer>;

/** Reads the body; `undefined` where it is larger than the limit. */
export type BodyReader = () => Promise<Buffer | undefined>;

/** What the port does with a request. */
export interface Handlers {
  /** Whether `rpc` is for the request; else `http` is. */
  readonly isRpc: (path: string) => boolean;
  readonly rpc: NodeHandler;
  readonly http: HttpHandler;
}

/** The port of the platform: HTTP/1.1 and HTTP/2, with limits on size and time, so that slow and greedy clients cost little. */
export class HttpServer {
  readonly #port: Server;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();

  private constructor(handlers: Promise<Handlers>) {
    const onRequest = (request: HttpRequest, response: HttpResponse) => void answer(handlers, request, response);
    // Node's compatibility API: what is used of a response is the same.
    const onStream = (request: Http2ServerRequest, response: Http2ServerResponse) =>
      onRequest(request, response as unknown as ServerResponse);
    this.#http1 = createHttp1Server(
      {
        maxHeaderSize: maximumHeaderBytes,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        keepAliveTimeout: idleTime,
        connectionsCheckingInterval: 5_000,
      },
      onRequest,
    );
    // It never listens itself; without this it would enforce none of its limits.
    this.#http1.emit("listening");
    this.#http2 = createHttp2Server(
      {
        maxSessionMemory: 10,
        settings: { maxConcurrentStreams: maximumStreams, maxHeaderListSize: maximumHeaderBytes },
      },
      onStream,
    );
    this.#http2.setTimeout(idleTime);
    this.#http2.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
    });
    this.#port = sniffingServer(
      (socket) => this.#http1.emit("connection", socket),
      (socket) => this.#http2.emit("connection", socket),
    );
  }

  /** Listens at once; requests wait until the handlers are there. @throws Error where the address is taken */
  static async listen(host: string, port: number, handlers: Promise<Handlers>): Promise<HttpServer> {
    const server = new HttpServer(handlers);
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

  /** Takes no new connection, answers what runs, and after the grace period (ms) ends what still does not end. */
  async close(grace: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#port.close(() => resolve()));
    for (const session of this.#sessions) session.close();
    // A connection that turns idle after its last answer is closed soon.
    const sweep = setInterval(() => this.#http1.closeIdleConnections(), 50);
    this.#http1.closeIdleConnections();
    const timer = setTimeout(() => {
      this.#http1.closeAllConnections();
      for (const session of this.#sessions) session.destroy();
    }, grace);
    await closed;
    clearTimeout(timer);
    clearInterval(sweep);
    this.#http1.close();
  }
}

async function answer(handlers: Promise<Handlers>, request: HttpRequest, response: HttpResponse): Promise<void> {
  try {
    const { isRpc, rpc, http } = await handlers;
    if (isRpc(request.url ?? "")) return rpc(request, response);
    const { status, headers, body } = await http(request, () => readBody(request, response));
    if (response.destroyed) return;
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
  } catch {
    // The handlers answer their own errors; what is left is a connection that broke.
    response.destroy();
  }
}

function readBody(request: HttpRequest, response: HttpResponse): Promise<Buffer | undefined> {
  const { headers, httpVersionMajor } = request;
  const isHttp1 = httpVersionMajor === 1;
  if (isHttp1 && headers["content-length"] === undefined && headers["transfer-encoding"] === undefined)
    return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBodyBytes) {
        // The rest is not read: over HTTP/1.1, the connection cannot be used again.
        if (isHttp1) response.setHeader("connection", "close");
        request.pause();
        resolve(undefined);
        return;
      }
      chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on("aborted", () => reject(new Error("the client went away")));
    request.on("error", reject);
  });
}
