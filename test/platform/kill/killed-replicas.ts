import { connect, createServer, type Server, type Socket } from "node:net";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { listenOnLoopback, portOf } from "#test/support/loopback.ts";

/** Two replicas of a platform behind one address. One of them serves, until it is killed. */
export class KilledReplicas {
  readonly #server: Server;
  readonly #flags: readonly string[];
  readonly #sockets = new Set<Socket>();
  #serving: Promise<Replica>;
  #standby: Promise<Replica>;

  private constructor(server: Server, flags: readonly string[]) {
    this.#server = server;
    this.#flags = [...flags, "--base-url", this.url];
    // The first one initializes the database.
    this.#serving = this.#start();
    this.#standby = this.#serving.then(() => this.#start());
    server.on("connection", (socket) => void this.#forward(socket));
  }

  /** @param flags of both; the database must be one that replicas can share */
  static async start(flags: readonly string[]): Promise<KilledReplicas> {
    const server = createServer();
    await listenOnLoopback(server);
    const replicas = new KilledReplicas(server, flags);
    await Promise.all([replicas.#serving, replicas.#standby]);
    return replicas;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  async rootGroup(): Promise<string> {
    return (await this.#serving).rootGroup;
  }

  /** Kills the replica that serves with SIGKILL, and lets the other one serve. The killed one is started again. */
  async kill(): Promise<void> {
    const { process } = await this.#serving;
    this.#serving = this.#standby;
    await Promise.all([this.#serving, process.kill()]);
    this.#standby = this.#start();
    for (const socket of this.#sockets) socket.destroy();
    // Clients have noticed that their connections are closed when a request has had a response.
    await (await fetch(`${this.url}/livez`)).text();
  }

  async stop(): Promise<void> {
    for (const replica of [this.#serving, this.#standby]) await (await replica).process.stop();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #start(): Promise<Replica> {
    const process = new PlatformProcess(this.#flags);
    const { address, rootGroup } = await process.listening();
    return { process, rootGroup, port: Number(new URL(`http://${address}`).port) };
  }

  async #forward(incoming: Socket): Promise<void> {
    incoming.on("error", () => incoming.destroy());
    const { port } = await this.#serving;
    const outgoing = connect(port, "127.0.0.1");
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

interface Replica {
  readonly process: PlatformProcess;
  readonly rootGroup: string;
  readonly port: number;
}
