import { describe, expect, it, vi } from "vitest";
import { describeWithPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import { initialStamp, replaceSecurityStamp, securityStampOf } from "#src/platform/authorization/security-stamp.ts";
import { databaseContract } from "../database-contract.testing.ts";
import { statement, DatabaseUnavailableError } from "../database.ts";
import { postgresTypes } from "../schema/migration.ts";
import { migrations } from "../schema/migrations.ts";
import { createSchemaVersion, currentSchema, schemaDigest } from "../schema/schema-version.ts";
import { UnsupportedSchemaError } from "../supported-schema.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { FakeNameServer } from "../../names/fake-name-server.testing.ts";
import { NameResolver } from "../../names/name-resolver.ts";
import { PostgresDatabase } from "./postgres-database.ts";

const put = statement((db, p: { name: string; value: string }) =>
  db
    .insertInto("facts")
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: p.value })),
);
const insertOnly = statement((db, p: { name: string; value: string }) => db.insertInto("facts").values(p));
const get = statement((db, p: { name: string }) => db.selectFrom("facts").select("value").where("name", "=", p.name));
const notCommitted = { name: "DatabaseUnavailableError", outcome: "notCommitted" };

describeWithPostgres("PostgreSQL", (postgres) => {
  databaseContract("PostgreSQL", async () => {
    const url = await postgres().newDatabase();
    return { open: () => PostgresDatabase.open(url, { connections: 4 }), remove: async () => {} };
  });

  describe("PostgresDatabase", () => {
    it.each([
      {
        state: "newer",
        table: createSchemaVersion,
        row: `${currentSchema.version + 1}, 'x'`,
        message: "use a newer version",
      },
      {
        state: "earlier",
        table: "create table schema_version (version integer not null)",
        row: "12",
        message: "export its resources through the API with the version that wrote it",
      },
      {
        state: "changed",
        table: createSchemaVersion,
        row: `1, '${"0".repeat(64)}'`,
        message: "docs/operate/upgrade.md",
      },
    ])("rejects the $state schema without modifying it", async ({ table, row, message }) => {
      const url = await postgres().newDatabase();
      await postgres().run(url, table);
      await postgres().run(url, `insert into schema_version values (${row})`);
      const state = () =>
        Promise.all([
          postgres().run(url, "select table_name from information_schema.tables where table_schema = 'public'"),
          postgres().run(url, "select * from schema_version"),
        ]);
      const before = await state();
      await expect(PostgresDatabase.open(url, { connections: 2 })).rejects.toThrowError(UnsupportedSchemaError);
      await expect(PostgresDatabase.open(url, { connections: 2 })).rejects.toThrowError(message);
      expect(await state()).toEqual(before);
    });

    it.each(migrations.map((_, version) => version))("migrates a database of version %i", async (version) => {
      const url = await postgres().newDatabase();
      for (const migration of migrations.slice(0, version))
        for (const step of migration(postgresTypes)) await postgres().run(url, step);
      if (version > 0) {
        await postgres().run(url, createSchemaVersion);
        await postgres().run(url, `insert into schema_version values (${version}, '${schemaDigest(version)}')`);
        await postgres().run(url, "insert into facts values ('n', 'kept')");
      }
      const database = await PostgresDatabase.open(url, { connections: 2 });
      await database.write((tx) => replaceSecurityStamp(tx, "identity"));
      expect(await database.read((tx) => securityStampOf(tx, "identity"))).not.toEqual(initialStamp);
      expect(await database.read((tx) => securityStampOf(tx, "another"))).toEqual(initialStamp);
      expect(await database.read((tx) => tx.first(get, { name: "n" }))).toEqual(
        version > 0 ? { value: "kept" } : undefined,
      );
      await database.close();
    });

    it("writes while as many reads run as may", async () => {
      const database = await PostgresDatabase.open(await postgres().newDatabase(), { connections: 3 });
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const reads = Array.from({ length: 6 }, () =>
        database.read(async (tx) => {
          await tx.first(get, { name: "n" });
          await ended;
        }),
      );
      await database.write((tx) => tx.run(put, { name: "n", value: "written" }));
      end();
      await Promise.all(reads);
      expect(await database.read((tx) => tx.first(get, { name: "n" }))).toEqual({ value: "written" });
      await database.close();
    });

    it("creates the schema once when replicas start at the same time", async () => {
      const url = await postgres().newDatabase();
      const databases = await Promise.all(
        Array.from({ length: 5 }, () => PostgresDatabase.open(url, { connections: 2 })),
      );
      expect(await postgres().run(url, "select * from schema_version")).toEqual([currentSchema]);
      await Promise.all(databases.map((database) => database.close()));
    });

    it("serializes the writes of all replicas: no update is lost and none fails", async () => {
      const url = await postgres().newDatabase();
      const databases = await Promise.all(
        Array.from({ length: 3 }, () => PostgresDatabase.open(url, { connections: 3 })),
      );
      const increment = (database: PostgresDatabase) =>
        database.write(async (tx) => {
          const value = Number((await tx.first(get, { name: "n" }))?.value ?? "0");
          await tx.run(put, { name: "n", value: String(value + 1) });
        });
      await Promise.all(databases.flatMap((database) => Array.from({ length: 100 }, () => increment(database))));
      expect(await databases[0]?.read((tx) => tx.first(get, { name: "n" }))).toEqual({ value: "300" });
      await Promise.all(databases.map((database) => database.close()));
    });

    it("retries a write that conflicts with a client that does not take the lock", async () => {
      const url = await postgres().newDatabase();
      const database = await PostgresDatabase.open(url, { connections: 2 });
      await database.write((tx) => tx.run(put, { name: "n", value: "1" }));
      let runs = 0;
      await database.write(async (tx) => {
        runs++;
        const { value } = (await tx.first(get, { name: "n" })) ?? { value: "" };
        if (runs === 1) await postgres().run(url, "update facts set value = '10' where name = 'n'");
        await tx.run(put, { name: "n", value: String(Number(value) + 1) });
      });
      expect(runs).toBe(2);
      expect(await database.read((tx) => tx.first(get, { name: "n" }))).toEqual({ value: "11" });
      await database.close();
    });

    it("retries a write that conflicts after a statement of another write in the same transaction failed", async () => {
      const url = await postgres().newDatabase();
      const database = await PostgresDatabase.open(url, { connections: 2 });
      await database.write((tx) => tx.run(put, { name: "n", value: "1" }));
      let runs = 0;
      const results = await Promise.allSettled([
        database.write((tx) => tx.run(insertOnly, { name: "n", value: "2" })),
        database.write(async (tx) => {
          runs++;
          await tx.first(get, { name: "n" });
          if (runs === 1) await postgres().run(url, "update facts set value = '10' where name = 'n'");
          await tx.run(put, { name: "n", value: "11" });
        }),
      ]);
      expect([runs, ...results.map(({ status }) => status)]).toEqual([2, "rejected", "fulfilled"]);
      expect(await database.read((tx) => tx.first(get, { name: "n" }))).toEqual({ value: "11" });
      await database.close();
    });

    it("reports no write as kept that is lost because its savepoint could not be released", async () => {
      const database = await PostgresDatabase.open(await postgres().newDatabase(), { connections: 2 });
      // oxlint-disable-next-line typescript/unbound-method -- It is called with the `this` of the mock.
      const { exec } = PostgresConnection.prototype;
      const failingRelease = vi.spyOn(PostgresConnection.prototype, "exec").mockImplementation(function (
        this: PostgresConnection,
        sql,
      ) {
        return exec.call(this, sql.startsWith("release") ? "select 1/0" : sql);
      });
      const written = database.write((tx) => tx.run(put, { name: "n", value: "1" }));
      const refused = database.write(() => Promise.reject(new Error("refused")));
      await expect(refused).rejects.toThrow();
      await expect(written).rejects.toMatchObject(notCommitted);
      await expect(database.write((tx) => tx.run(put, { name: "n", value: "1" }))).rejects.toMatchObject(notCommitted);
      failingRelease.mockRestore();
      expect(await database.read((tx) => tx.first(get, { name: "n" }))).toBeUndefined();
      await database.close();
    });

    it("stores every character, including U+0000", async () => {
      const database = await PostgresDatabase.open(await postgres().newDatabase(), { connections: 2 });
      const values = ["\u0000", "\u0001", "\u0001\u0001", "a\u0000\u0001\u0002b", "ü€😀"];
      for (const value of values) {
        await database.write((tx) => tx.run(put, { name: value, value }));
        expect(await database.read((tx) => tx.first(get, { name: value }))).toEqual({ value });
      }
      await database.close();
    });

    it("reports a broken connection as unavailable with nothing kept, and recovers", async () => {
      const url = await postgres().newDatabase();
      const database = await PostgresDatabase.open(url, { connections: 2 });
      const cut =
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
      const broken = database.write(async (tx) => {
        await tx.run(put, { name: "n", value: "1" });
        await postgres().run(url, cut);
        await tx.run(put, { name: "m", value: "1" });
      });
      await expect(broken).rejects.toMatchObject(notCommitted);
      await expect(
        database.read(async (tx) => {
          await tx.first(get, { name: "n" });
          await postgres().run(url, cut);
          return tx.first(get, { name: "n" });
        }),
      ).rejects.toBeInstanceOf(DatabaseUnavailableError);
      expect(await database.read((tx) => tx.first(get, { name: "n" }))).toBeUndefined();
      await database.write((tx) => tx.run(put, { name: "n", value: "2" }));
      await database.close();
    });

    it("disconnects a replica that stops in the middle of a write, so that other writes proceed", async () => {
      const url = await postgres().newDatabase();
      const [stalled, other] = [
        await PostgresDatabase.open(url, { connections: 2, stallTimeout: 300 }),
        await PostgresDatabase.open(url, { connections: 2, stallTimeout: 2_000 }),
      ];
      const [holding, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const held = stalled.write(async (tx) => {
        await tx.run(put, { name: "n", value: "held" });
        holding.resolve();
        await released.promise;
        await tx.run(put, { name: "m", value: "held" });
      });
      held.catch(() => {});
      await holding.promise;
      await other.write((tx) => tx.run(put, { name: "n", value: "other" }));
      released.resolve();
      await expect(held).rejects.toMatchObject(notCommitted);
      expect(await other.read((tx) => tx.first(get, { name: "n" }))).toEqual({ value: "other" });
      expect(await other.read((tx) => tx.first(get, { name: "m" }))).toBeUndefined();
      await stalled.close();
      await other.close();
    });

    it("connects to a host by name, and reports one whose name server is silent in time", async () => {
      const url = new URL(await postgres().newDatabase());
      const server = await FakeNameServer.start((name) => (name === "db.test" ? { a: [url.hostname] } : "silent"));
      const resolver = new NameResolver({ servers: [server.address], timeLimit: 300 });
      const open = (hostname: string) => {
        const named = url.href.replace(url.hostname, hostname);
        return PostgresDatabase.open(named, { connections: 2, names: resolver });
      };
      await (await open("db.test")).close();
      expect(server.queries).toContain("A db.test");
      await expect(open("silent.test")).rejects.toMatchObject({
        name: "DatabaseUnavailableError",
        message: expect.stringContaining("resolving silent.test: the name servers did not respond in time"),
      });
      server.stop();
    });

    it("reports an unreachable database without the password", async () => {
      const opened = PostgresDatabase.open("postgres://u:hunter2@127.0.0.1:1/none", { connections: 2 });
      await expect(opened).rejects.toBeInstanceOf(DatabaseUnavailableError);
      await expect(opened).rejects.not.toThrowError("hunter2");
    });
  });
});
