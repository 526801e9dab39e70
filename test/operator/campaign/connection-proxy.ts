import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { listenOnLoopback, portOf } from "#test/support/loopback.ts";

interface Connection {
  readonly incoming: Socket;
  readonly outgoing: Socket;
}

/** Forwards TCP connections to a port on loopback, and can cut or stall all of them at once. */
export class ConnectionProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #stalled = false;

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.port = portOf(server);
    server.on("connection", (incoming) => {
      const connection = { incoming, outgoing: connect(targetPort, "127.0.0.1") };
      this.#connections.add(connection);
      for (const [one, other] of directions(connection)) {
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.#connections.delete(connection);
          other.destroy();
        });
        if (!this.#stalled) one.pipe(other);
      }
    });
  }

  static async start(targetPort: number): Promise<ConnectionProxy> {
    const server = createServer();
    await listenOnLoopback(server);
    return new ConnectionProxy(server, targetPort);
  }

  /** Resets every connection: watches end in the middle, and requests lose their responses. */
  cut(): void {
    for (const connection of this.#connections) for (const [socket] of directions(connection)) socket.resetAndDestroy();
  }

  /** Forwards nothing until `resume`, and accepts connections, as a server that hangs does. */
  stall(): void {
    this.#stalled = true;
    for (const connection of this.#connections) for (const [one, other] of directions(connection)) one.unpipe(other);
  }

  /** Ends a stall. What was sent meanwhile arrives late. */
  resume(): void {
    if (!this.#stalled) return;
    this.#stalled = false;
    for (const connection of this.#connections) for (const [one, other] of directions(connection)) one.pipe(other);
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, "close");
  }
}

function directions({ incoming, outgoing }: Connection): readonly (readonly [Socket, Socket])[] {
  return [
    [incoming, outgoing],
    [outgoing, incoming],
  ];
}
