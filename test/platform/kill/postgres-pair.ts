import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import { MovingAddress } from "#test/support/moving-address.ts";

/**
 * A PostgreSQL server and its synchronous standby, behind one address that leads to the primary. As with the usual managers of
 * PostgreSQL, a promoted server commits alone until it has a standby again.
 */
export class PostgresPair {
  readonly #address: MovingAddress;
  #primary: PostgresServer;
  #other: PostgresServer;

  private constructor(primary: PostgresServer, standby: PostgresServer, address: MovingAddress) {
    this.#primary = primary;
    this.#other = standby;
    this.#address = address;
  }

  static async start(): Promise<PostgresPair> {
    const primary = await PostgresServer.start({ durable: true });
    const standby = await primary.startStandby();
    const pair = new PostgresPair(primary, standby, await MovingAddress.start(primary.port));
    await pair.#waitForStandby();
    return pair;
  }

  /** The URL of a new database, by the address. */
  async newDatabase(): Promise<string> {
    const url = new URL(await this.#primary.newDatabase());
    url.port = String(this.#address.port);
    return url.href;
  }

  /** Kills all processes of the primary. */
  kill(): Promise<void> {
    return this.#primary.kill();
  }

  /** Stops all processes of the primary, whose connections stay open. */
  freeze(): void {
    this.#primary.signal("SIGSTOP");
  }

  /** Leads the address to the standby, and promotes it. */
  async failOver(): Promise<void> {
    [this.#primary, this.#other] = [this.#other, this.#primary];
    this.#address.leadTo(this.#primary.port);
    await this.#primary.run("postgres", "select pg_promote()");
  }

  /** Lets the earlier primary go on, which does not know of the new one. */
  thaw(): void {
    this.#other.signal("SIGCONT");
  }

  /** Makes the earlier primary the standby of the new one. */
  async rebuild(): Promise<void> {
    await this.#other.kill();
    await this.#other.replicate(this.#primary);
    await this.#waitForStandby();
  }

  async stop(): Promise<void> {
    this.#address.stop();
    for (const server of [this.#primary, this.#other]) {
      await server.kill();
      await server.stop();
    }
  }

  /** From then on, each commit waits until the standby has it on disk. */
  async #waitForStandby(): Promise<void> {
    await this.#primary.run("postgres", "alter system set synchronous_standby_names = '*'");
    await this.#primary.run("postgres", "select pg_reload_conf()");
    const synchronous = "select 1 from pg_stat_replication where sync_state = 'sync' and state = 'streaming'";
    while ((await this.#primary.run("postgres", synchronous)).length === 0) await sleep(50);
  }
}
