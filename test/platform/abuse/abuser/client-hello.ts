import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { connect } from "node:tls";

/** Records the ClientHello of a TLS client. Sent again on other connections, it costs its sender nothing to compute. */
export async function recordClientHello(): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  client.on("error", () => {});
  const [socket] = (await once(server, "connection")) as [Socket];
  const [hello] = (await once(socket, "data")) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}
