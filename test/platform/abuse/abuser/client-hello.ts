import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { connect } from "node:tls";
import { listenOnLoopback } from "#test/support/loopback.ts";

/** Records the ClientHello of a TLS client. Sent again on other connections, it costs its sender nothing to compute. */
export async function recordClientHello(): Promise<Buffer> {
  const server = createServer();
  const client = connect({ host: "127.0.0.1", port: await listenOnLoopback(server) });
  client.on("error", () => {});
  const [socket] = (await once(server, "connection")) as [Socket];
  const [hello] = (await once(socket, "data")) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}
