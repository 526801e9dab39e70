import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Forwards TCP connections to a port on loopback, and can cut all of them at once. */
export class ConnectionProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (incoming) => {
      const outgoing = connect(targetPort, "127.0.0.1");
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  static async start(targetPort: number): Promise<ConnectionProxy> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ConnectionProxy(server, targetPort);
  }

  /** Resets every connection: watches end in the middle, and requests lose their responses. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, "close");
  }
}
