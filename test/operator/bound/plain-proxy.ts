import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { connect } from "node:tls";

/** A server on loopback that passes every connection on to a TLS server, so that what connects needs no TLS. @returns its port */
export async function startPlainProxy(
  target: URL,
  ca: string,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port), ca });
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => void server.close(),
  };
}
