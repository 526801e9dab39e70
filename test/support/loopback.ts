import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";

/** Has a server of a test listen on loopback, on a port that is free. @returns the port */
export async function listenOnLoopback(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return portOf(server);
}

/** The port of a server that listens. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Ends a server and its connections. */
export async function closeServer(server: HttpServer | HttpsServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
