import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { listenOnLoopback } from "#test/support/loopback.ts";

export interface ConnectProxyOptions {
  /** The port on loopback to which every tunnel leads, whatever host was asked for. */
  readonly targetPort: number;
  /** `user:password` that is required. */
  readonly credentials?: string;
  /** What the proxy does instead of opening the tunnel. */
  readonly instead?: (request: IncomingMessage, socket: Duplex) => void;
  /** PEM. Given: the proxy itself has TLS. */
  readonly tls?: { readonly key: string; readonly certificate: string };
}

/** An HTTP proxy on loopback that serves CONNECT only, and resolves every host to loopback. */
export async function startConnectProxy({ targetPort, credentials, instead, tls }: ConnectProxyOptions) {
  const tunnels: string[] = [];
  const open = new Set<Duplex>();
  const server = tls === undefined ? createServer() : createTlsServer({ key: tls.key, cert: tls.certificate });
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket);
    socket.on("error", () => undefined);
    const expected = `Basic ${Buffer.from(credentials ?? "").toString("base64")}`;
    if (credentials !== undefined && request.headers["proxy-authorization"] !== expected) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    tunnels.push(request.url ?? "");
    if (instead !== undefined) return instead(request, socket);
    const target = connect(targetPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n");
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    target.on("error", () => socket.destroy());
    open.add(target);
  });
  const port = await listenOnLoopback(server);
  return {
    url: new URL(`${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`),
    /** The HOST:PORT of each tunnel that was asked for with the right credentials. */
    tunnels,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
