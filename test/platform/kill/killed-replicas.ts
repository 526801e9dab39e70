import { MovingAddress } from "#test/support/moving-address.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";

/** Two replicas of a platform behind one address. One of them serves, until it is killed. */
export class KilledReplicas {
  readonly #address: MovingAddress;
  readonly #flags: readonly string[];
  #serving: Promise<Replica>;
  #standby: Promise<Replica>;

  private constructor(address: MovingAddress, flags: readonly string[]) {
    this.#address = address;
    this.#flags = [...flags, "--base-url", this.url];
    // The first one initializes the database.
    this.#serving = this.#start();
    this.#standby = this.#serving.then(() => this.#start());
    this.#lead();
  }

  /** @param flags of both; the database must be one that replicas can share */
  static async start(flags: readonly string[]): Promise<KilledReplicas> {
    const replicas = new KilledReplicas(await MovingAddress.start(0), flags);
    await Promise.all([replicas.#serving, replicas.#standby]);
    return replicas;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#address.port}`;
  }

  async rootGroup(): Promise<string> {
    return (await this.#serving).rootGroup;
  }

  /** Kills the replica that serves with SIGKILL, and lets the other one serve. The killed one is started again. */
  async kill(): Promise<void> {
    const { process } = await this.#serving;
    this.#serving = this.#standby;
    this.#lead();
    await Promise.all([this.#serving, process.kill()]);
    this.#standby = this.#start();
    this.#address.cut();
    // Clients have noticed that their connections are closed when a request has had a response.
    await (await fetch(`${this.url}/livez`)).text();
  }

  async stop(): Promise<void> {
    for (const replica of [this.#serving, this.#standby]) await (await replica).process.stop();
    this.#address.stop();
  }

  #lead(): void {
    this.#address.leadTo(this.#serving.then(({ port }) => port));
  }

  async #start(): Promise<Replica> {
    const process = new PlatformProcess(this.#flags);
    const { address, rootGroup } = await process.listening();
    return { process, rootGroup, port: Number(new URL(`http://${address}`).port) };
  }
}

interface Replica {
  readonly process: PlatformProcess;
  readonly rootGroup: string;
  readonly port: number;
}
