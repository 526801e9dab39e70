import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Why not, in words for the person who looks; undefined: all is well. */
export type Check = () => string | undefined;

export interface HealthOptions {
  /** `HOST:PORT`; port 0 takes any free one, and an IPv6 host stands in brackets. */
  readonly listen: string;
  /** Fails where only a restart helps. */
  readonly live: Check;
  /** Fails while the process does not do its work (yet, any more). */
  readonly ready: Check;
  /** prom-client's registry. */
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
}

export interface HealthServer {
  /** `http://HOST:PORT` as it was bound. */
  readonly address: string;
  close(): Promise<void>;
}

/** A probe sends a few hundred bytes at once; whoever needs longer holds a connection and nothing else. */
const limits = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000, maxHeaderSize: 8_192 };
const maxConnections = 64;

/**
 * Serves `/livez`, `/readyz` and `/metrics` to GET and HEAD, and nothing else.
 * @throws where `listen` is not an address, or cannot be bound.
 */
export async function serveHealth({ listen, live, ready, metrics }: HealthOptions): Promise<HealthServer> {
  const { host, port } = parseAddress(listen);
  const server = createServer({ ...limits, connectionsCheckingInterval: 1_000 }, (request, response) => {
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
        return check(response, live);
      case "/readyz":
        return check(response, ready);
      case "/metrics":
        response.writeHead(200, { "content-type": metrics.contentType }).end(await metrics.metrics());
        return;
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

function check(response: ServerResponse, what: Check): void {
  const trouble = what();
  response
    .writeHead(trouble === undefined ? 200 : 503, { "content-type": "text/plain; charset=utf-8" })
    .end(`${trouble ?? "ok"}\n`);
}

function parseAddress(listen: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(listen);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || !(port <= 65_535)) throw new Error(`"${listen}" is not HOST:PORT, as in 127.0.0.1:8081`);
  return { host, port };
}
