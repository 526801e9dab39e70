import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** No request of the contract is larger; the largest is a JWKS document. */
const maximumBodyBytes = 1024 * 1024;

/** An answer, whole: the API streams nothing. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty for none. */
  readonly body: string;
}

export type HttpHandler = (request: IncomingMessage, body: BodyReader) => Promise<HttpAnswer>;

/** Reads the body; `undefined` where it is larger than the limit. */
export type BodyReader = () => Promise<Buffer | undefined>;

/** The port of the platform: HTTP/1.1, with limits on size and time, so that slow and greedy clients cost little. */
export class HttpServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens at once; requests wait until the handler is there. @throws Error where the address is taken */
  static async listen(host: string, port: number, handler: Promise<HttpHandler>): Promise<HttpServer> {
    const server = createServer(
      {
        // A bearer token is a few KiB at most.
        maxHeaderSize: 32 * 1024,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        // Longer than clients keep theirs, so that the server is not the one to close under a request.
        keepAliveTimeout: 75_000,
        connectionsCheckingInterval: 5_000,
        noDelay: true,
      },
      (request, response) => void answer(handler, request, response),
    );
    server.maxRequestsPerSocket = 0;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
    return new HttpServer(server);
  }

  /** `127.0.0.1:8080`, `[::1]:8080` */
  get address(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  }

  /** Takes no new connection, answers what runs, and after the grace period (ms) ends what still does not end. */
  async close(grace: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), grace);
    // A connection that turns idle after its last answer is closed soon.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), 50);
    await closed;
    clearTimeout(timer);
    clearInterval(sweep);
  }
}

async function answer(handler: Promise<HttpHandler>, request: IncomingMessage, response: ServerResponse) {
  try {
    const { status, headers, body } = await (await handler)(request, () => readBody(request, response));
    if (response.destroyed) return;
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
  } catch {
    // The handler answers its own errors; what is left is a connection that broke.
    response.destroy();
  }
}

function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBodyBytes) {
        // The rest is not read: the connection cannot be used again.
        response.setHeader("connection", "close");
        request.pause();
        resolve(undefined);
        return;
      }
      chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", reject);
  });
}
