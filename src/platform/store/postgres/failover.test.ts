import { afterEach, expect, it, vi } from "vitest";
import { describeWithPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import type { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import { MovingAddress } from "#test/support/moving-address.ts";
import { type Reader, statement } from "../database.ts";
import { PostgresDatabase } from "./postgres-database.ts";

const put = statement((db, p: { name: string }) => db.insertInto("facts").values({ name: p.name, value: "1" }));
const names = statement<object, { name: string }>((db) => db.selectFrom("facts").select("name").orderBy("name"));
const readNames = (reader: Reader) => reader.all(names, {});

const patiently = { timeout: 10_000 };
const notCommitted = { name: "DatabaseUnavailableError", outcome: "notCommitted" };

describeWithPostgres("PostgresDatabase, when another server becomes the primary", (postgres) => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  /** A database at an address that can be led to another server. */
  async function atAddress() {
    const original = new URL(await postgres().newDatabase());
    const address = await MovingAddress.start(Number(original.port));
    ends.push(() => address.stop());
    const moving = new URL(original);
    moving.port = String(address.port);
    const open = async () => {
      const database = await PostgresDatabase.open(moving.href, { connections: 3 });
      ends.push(() => database.close());
      return database;
    };
    return { address, open, name: original.pathname.slice(1) };
  }
  const standbyOf = async (server: PostgresServer) => {
    const standby = await server.startStandby();
    ends.push(() => standby.stop());
    return standby;
  };

  it("uses no standby, and a promoted one at once", async () => {
    const { address, open, name } = await atAddress();
    const database = await open();
    await database.write((tx) => tx.run(put, { name: "a" }));
    const standby = await standbyOf(postgres());
    address.leadTo(standby.port);
    address.cut();
    // The first calls may have the connections that were cut.
    await vi.waitFor(() => expect(database.read(readNames)).rejects.toThrowError("the server is a standby"), patiently);
    await expect(database.read(readNames)).rejects.toMatchObject(notCommitted);
    await expect(database.write((tx) => tx.run(put, { name: "b" }))).rejects.toMatchObject(notCommitted);
    await expect(open()).rejects.toMatchObject({ ...notCommitted, message: expect.stringContaining("a standby") });
    await standby.run(name, "select pg_promote()");
    await vi.waitFor(() => database.write((tx) => tx.run(put, { name: "c" })), patiently);
    expect(await database.read(readNames)).toEqual([{ name: "a" }, { name: "c" }]);
  });

  it("leaves an earlier primary that still responds", async () => {
    const { address, open, name } = await atAddress();
    const database = await open();
    await database.read(readNames);
    const promoted = await standbyOf(postgres());
    await promoted.run(name, "select pg_promote()");
    await promoted.run(name, "insert into facts values ('new', '1')");
    address.leadTo(promoted.port);
    // Connections that are used never become idle.
    const showsNew = async () => (await database.read(readNames).catch(() => [])).length > 0;
    await vi.waitUntil(showsNew, { interval: 10, ...patiently });
    expect(await database.read(readNames)).toEqual([{ name: "new" }]);
  });

  it("gives up what waits for an earlier primary that is silent", async () => {
    ends.push(() => postgres().signal("SIGCONT"));
    const { address, open, name } = await atAddress();
    const database = await open();
    const promoted = await standbyOf(postgres());
    const write = database.write(async (tx) => {
      await tx.run(put, { name: "lost" });
      postgres().signal("SIGSTOP");
    });
    write.catch(() => {});
    await promoted.run(name, "select pg_promote()");
    address.leadTo(promoted.port);
    await expect(write).rejects.toMatchObject({ ...notCommitted, outcome: "unknown" });
    await database.write((tx) => tx.run(put, { name: "kept" }));
    expect(await database.read(readNames)).toEqual([{ name: "kept" }]);
  });

  it("reports writes as unavailable while the server accepts only reads", async () => {
    const { address, open, name } = await atAddress();
    const database = await open();
    await database.write((tx) => tx.run(put, { name: "a" }));
    await postgres().run("postgres", `alter database ${name} set default_transaction_read_only = on`);
    address.cut();
    expect(await vi.waitFor(() => database.read(readNames), patiently)).toEqual([{ name: "a" }]);
    await expect(database.write((tx) => tx.run(put, { name: "b" }))).rejects.toMatchObject(notCommitted);
  });

  it("does not report a write as kept whose wait for a standby was cancelled", async () => {
    const { open } = await atAddress();
    const database = await open();
    const setting = async (value: string) => {
      await postgres().run("postgres", `alter system set synchronous_standby_names = '${value}'`);
      await postgres().run("postgres", "select pg_reload_conf()");
    };
    await setting("absent");
    ends.push(() => setting(""));
    // The server applies the setting some time after it has read it, and acknowledges writes until then.
    const writes = async () => {
      for (let number = 0; ; number += 1) await database.write((tx) => tx.run(put, { name: `${number}` }));
    };
    const cancel = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";
    const cancelled = vi.waitUntil(async () => (await postgres().run("postgres", cancel)).length > 0, patiently);
    await Promise.all([cancelled, expect(writes()).rejects.toMatchObject({ ...notCommitted, outcome: "unknown" })]);
  });
});
