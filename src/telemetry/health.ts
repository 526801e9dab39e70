import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HealthOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** False where only a restart helps; absent: answering is life enough. */
  readonly live?: () => boolean;
  /** False while the process does not do its work yet, or any more. */
  readonly ready: () => boolean;
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** A probe sends a few hundred bytes at once: who needs longer is cut off. Default 5 s. */
  readonly requestTimeoutMs?: number;
}

export interface HealthServer {
  /** `http://HOST:PORT` as it was bound. */
  readonly address: string;
  close(): Promise<void>;
}

const maxConnections = 64;

const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Serves `/livez`, `/readyz` and `/metrics` to GET and HEAD, and nothing else.
 * @throws where the address cannot be bound.
 */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const { host, port, live = () => true, ready, metrics, requestTimeoutMs = 5_000 } = options;
  const limits = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    keepAliveTimeout: 5_000,
    maxHeaderSize: 8_192,
  };
  const server = createServer(limits, (request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.maxConnections = maxConnections;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD", connection: "close" }).end();
      return;
    }
    const path = request.url?.split("?")[0] ?? "";
    switch (path) {
      case "/livez":
        return check(response, live());
      case "/readyz":
        return check(response, ready());
      case "/metrics": {
        const text = await metrics();
        response.writeHead(200, { "content-type": metricsType }).end(text);
        return;
      }
      default:
        response.writeHead(404).end();
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const bound = server.address() as AddressInfo;
  return {
    address: `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function check(response: ServerResponse, well: boolean): void {
  response
    .writeHead(well ? 200 : 503, { "content-type": "text/plain; charset=utf-8" })
    .end(well ? "ok\n" : "not yet, or not any more\n");
}
