import { connect, createServer, type Server, type Socket } from "node:net";
import { listenOnLoopback, portOf } from "./loopback.ts";

/**
 * An address on loopback that leads to another port, as a Service of Kubernetes leads to a pod: when it is led elsewhere, its
 * connections stay where they are.
 */
export class MovingAddress {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number | Promise<number>;

  private constructor(server: Server, target: number | Promise<number>) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (socket) => void this.#forward(socket));
  }

  static async start(target: number | Promise<number>): Promise<MovingAddress> {
    const server = createServer();
    await listenOnLoopback(server);
    return new MovingAddress(server, target);
  }

  get port(): number {
    return portOf(this.#server);
  }

  /** Leads new connections to another port. */
  leadTo(target: number | Promise<number>): void {
    this.#target = target;
  }

  /** Closes all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.#server.close();
    this.cut();
  }

  async #forward(incoming: Socket): Promise<void> {
    incoming.on("error", () => incoming.destroy());
    const outgoing = connect(await this.#target, "127.0.0.1");
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
  }
}
