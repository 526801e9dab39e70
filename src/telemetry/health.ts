import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { seconds } from "#src/time/durations.ts";
import { shareConnections } from "./shared-connections.ts";

export interface HealthOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** False if only a restart can help. Absent: a process that responds is live. */
  readonly live?: () => boolean;
  /** Not ready before the process can do its work, and once it is stopping. */
  readonly ready: () => ProbeResult | Promise<ProbeResult>;
  /** Returns the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** The time in which a client must have sent its request; default: 5 s. */
  readonly requestTimeoutMs?: number;
}

/** The response to a probe: whether it succeeds, and a word that says why. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly text?: string;
}

export interface HealthServer {
  /** `http://HOST:PORT`, with the port that was bound. */
  readonly address: string;
  close(): Promise<void>;
}

/** Addresses share them: a pod that fills its share leaves room for the probes of the kubelet. */
const maxConnections = 64;

const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Serves `/livez`, `/readyz` and `/metrics` to GET and HEAD, and nothing else.
 * @throws if the address cannot be bound.
 */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const { host, port, live = () => true, ready, metrics, requestTimeoutMs = seconds(5) } = options;
  const limits = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(seconds(1), requestTimeoutMs),
    keepAliveTimeout: seconds(5),
    maxHeaderSize: 8_192,
  };
  const server = createServer(limits, (request, response) => {
    respond(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  shareConnections(server, maxConnections);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD", connection: "close" }).end();
      return;
    }
    const path = request.url?.split("?")[0] ?? "";
    switch (path) {
      case "/livez":
        return respondToProbe(response, { ok: live() });
      case "/readyz":
        return respondToProbe(response, await ready());
      case "/metrics": {
        const text = await metrics();
        response.writeHead(200, { "content-type": metricsContentType }).end(text);
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

function respondToProbe(response: ServerResponse, { ok, text = ok ? "ok" : "not ok" }: ProbeResult): void {
  response.writeHead(ok ? 200 : 503, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}
