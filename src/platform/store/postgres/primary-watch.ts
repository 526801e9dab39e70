import { Client, type ClientConfig } from "pg";

/** How often the address is asked to which server it leads (ms). */
const interval = 2_000;
/** How long that may take, to connect and to respond (ms). */
const timeout = 2_000;

/** The start of a server distinguishes it from every other one. */
const identify = {
  text: "select pg_is_in_recovery() as standby, pg_postmaster_start_time()::text as server",
  query_timeout: timeout,
};

/**
 * Keeps the connections of a pool at the primary to which the address of the database leads.
 *
 * When another server becomes the primary, the address is led there, but connections stay where they are. An earlier primary that
 * was only cut off would show what it had for as long as they are used, and one that is silent would keep calls waiting. So
 * the address is asked every two seconds, by a new connection, and if it leads to another server, all others are closed.
 */
export class PrimaryWatch {
  readonly #config: ClientConfig;
  readonly #connections = new Set<Client>();
  readonly #timer: NodeJS.Timeout;
  #server: string | undefined;
  #looking: Promise<void> | undefined;

  constructor(config: ClientConfig) {
    this.#config = { ...config, connectionTimeoutMillis: timeout };
    this.#timer = setInterval(() => {
      if (this.#connections.size > 0) void this.#look();
    }, interval).unref();
  }

  /** Admits a new connection, or closes it. @throws Error if it does not lead to the primary */
  async admit(client: Client): Promise<void> {
    try {
      const server = await primaryOf(client);
      this.#server ??= server;
      // The address may have been led to this server, or away from it, since it was asked.
      if (server !== this.#server) await this.#look();
      if (server !== this.#server) throw new Error("the address of the database leads to another server");
    } catch (error) {
      // Not at a pace that the server sets, because the caller waits for its end.
      client.connection.stream.destroy();
      throw error;
    }
    this.#connections.add(client);
    client.once("end", () => this.#connections.delete(client));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Never throws: while no primary responds, connections stay. */
  async #ask(): Promise<void> {
    const client = new Client(this.#config);
    client.on("error", () => {});
    try {
      await client.connect();
      const server = await primaryOf(client);
      if (server === this.#server) return;
      this.#server = server;
      for (const { connection } of this.#connections)
        connection.stream.destroy(new Error("the address of the database leads to another server"));
      this.#connections.clear();
    } catch {
      // Asked again later.
    } finally {
      client.end().catch(() => {});
    }
  }
}

async function primaryOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ standby: boolean; server: string }>(identify);
  const [found] = rows;
  if (found === undefined || found.standby) throw new Error("the server is a standby");
  return found.server;
}
