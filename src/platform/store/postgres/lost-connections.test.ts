import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { sql } from "kysely";
import { expect, it, vi } from "vitest";
import { describeWithPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import { listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { type Reader, statement } from "../database.ts";
import { settleAll } from "../settle-all.ts";
import { PostgresDatabase } from "./postgres-database.ts";

const put = statement((db, p: { name: string }) => db.insertInto("facts").values({ name: p.name, value: "1" }));
const names = statement<object, { name: string }>((db) => db.selectFrom("facts").select("name").orderBy("name"));

const notCommitted = { name: "DatabaseUnavailableError", outcome: "notCommitted" };

describeWithPostgres("PostgresDatabase, when a connection is lost", (postgres) => {
  const open = async (connections = 3) => {
    const url = await postgres().newDatabase();
    return { url, database: await PostgresDatabase.open(url, { connections }) };
  };
  const sleep = (reader: Reader) => reader.query((db) => db.selectNoFrom(sql`pg_sleep(20)`.as("slept")));
  /** Ends the connection that sleeps, once it does. */
  async function cutSleeping(url: string): Promise<void> {
    const cut =
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
    await vi.waitUntil(async () => (await postgres().run(url, cut)).length > 0, { timeout: 10_000 });
  }

  it("reports a read as unavailable whose statements were sent together", async () => {
    const { url, database } = await open();
    const twice = async (reader: Reader) => {
      await reader.all(names, {});
      return reader.all(names, {});
    };
    const read = database.read((reader) => settleAll([twice(reader), sleep(reader)]));
    await Promise.all([cutSleeping(url), expect(read).rejects.toMatchObject(notCommitted)]);
    expect(await database.read((reader) => reader.all(names, {}))).toEqual([]);
    await database.close();
  });

  it("keeps the writes that it reports as kept, and no other", async () => {
    const { url, database } = await open();
    const lost = database.write((tx) =>
      settleAll([tx.run(put, { name: "lost" }), sleep(tx), tx.run(put, { name: "lost too" })]),
    );
    const others = ["a", "b", "c"].map(async (name) => {
      const result = database.write((tx) => tx.run(put, { name }));
      return result.then(
        () => [{ name }],
        () => [],
      );
    });
    await Promise.all([cutSleeping(url), expect(lost).rejects.toMatchObject(notCommitted)]);
    const kept = (await Promise.all(others)).flat();
    expect(await database.read((reader) => reader.all(names, {}))).toEqual(kept);
    await database.write((tx) => tx.run(put, { name: "d" }));
    await database.close();
  });

  it("gives up a connection that does not respond any more", async () => {
    const url = new URL(await postgres().newDatabase());
    const network = await SilentNetwork.to(Number(url.port));
    url.port = String(network.port);
    const database = await PostgresDatabase.open(url.href, {
      connections: 3,
      stallTimeout: 500,
      responseTimeout: 1_000,
    });
    const read = database.read((reader) => {
      network.isSilent = true;
      return reader.all(names, {});
    });
    await expect(read).rejects.toMatchObject(notCommitted);
    network.isSilent = false;
    const write = database.write((tx) => {
      network.isSilent = true;
      return tx.run(put, { name: "a" });
    });
    await expect(write).rejects.toMatchObject(notCommitted);
    network.isSilent = false;
    const commit = database.write(async (tx) => {
      await tx.run(put, { name: "b" });
      network.isSilent = true;
    });
    await expect(commit).rejects.toMatchObject({ ...notCommitted, outcome: "unknown" });
    network.isSilent = false;
    expect(await database.read((reader) => reader.all(names, {}))).toEqual([]);
    await database.close();
    await network.close();
  });
});

/** A network to a port of this machine that can lose whatever is sent, also the end of a connection. */
class SilentNetwork {
  isSilent = false;
  readonly #server: Server;
  readonly #sockets: Socket[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<SilentNetwork> {
    const server = createServer();
    const network = new SilentNetwork(server);
    server.on("connection", (near) => {
      const far = connect(port, "127.0.0.1");
      const relay = (from: Socket, to: Socket) => {
        from.on("data", (data) => network.isSilent || to.write(data));
        from.on("close", () => network.isSilent || to.destroy());
        from.on("error", () => undefined);
      };
      network.#sockets.push(near, far);
      relay(near, far);
      relay(far, near);
    });
    await listenOnLoopback(server);
    return network;
  }

  get port(): number {
    return portOf(this.#server);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server.close(), "close");
  }
}
