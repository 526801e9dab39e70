import type { Server, Socket } from "node:net";
import { createServer } from "node:tls";
import type { Certificate, TlsFiles } from "./tls-files.ts";

/**
 * Begins connections of HTTP/1.1 and HTTP/2 over TLS on one port. ALPN distinguishes them; a client without ALPN uses HTTP/1.1. Open
 * connections keep their certificate when it is renewed.
 * @param port which accepts the connections: TLS begins, and takes memory, only on those that the port admits
 * @param openingTime the time limit for the handshake (ms)
 */
export function tlsHandshakes(
  port: Server,
  files: TlsFiles,
  openingTime: number,
  onHttp1: (socket: Socket) => void,
  onHttp2: (socket: Socket) => void,
): (socket: Socket) => void {
  const server = createServer(
    {
      ...optionsOf(files.current),
      ALPNProtocols: ["h2", "http/1.1"],
      handshakeTimeout: openingTime,
    },
    (socket) => (socket.alpnProtocol === "h2" ? onHttp2(socket) : onHttp1(socket)),
  );
  const stop = files.watch((certificate) => server.setSecureContext(optionsOf(certificate)));
  port.once("close", stop);
  return (socket) => void server.emit("connection", socket);
}

function optionsOf({ certificate, key }: Certificate) {
  return { cert: certificate, key, minVersion: "TLSv1.2" as const };
}
