import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, describe, expect, it, vi } from "vitest";
import { initialStamp, replaceSecurityStamp, securityStampOf } from "#src/platform/authorization/security-stamp.ts";
import { identityShares, type Share } from "../../shares/share.ts";
import { databaseContract } from "../database-contract.testing.ts";
import { type Reader, DatabaseUnavailableError, statement, type Writer } from "../database.ts";
import { sqliteTypes } from "../schema/migration.ts";
import { migrations } from "../schema/migrations.ts";
import { createSchemaVersion, currentSchema, schemaDigest } from "../schema/schema-version.ts";
import { UnsupportedSchemaError } from "../supported-schema.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

const folders: string[] = [];

/** A folder that lasts until the end of this file. */
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "muster-sqlite-"));
  folders.push(path);
  return path;
}

afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

databaseContract("SQLite", async () => {
  const path = folder();
  return {
    open: async () => new SqliteDatabase(join(path, "data")),
    remove: async () => rmSync(path, { recursive: true }),
  };
});

describe("SqliteDatabase", () => {
  const put = (value: string) => (tx: Writer) =>
    tx.run({ build: (db) => db.replaceInto("facts").values({ name: "n", value }) }, {});
  const get = async (tx: Reader) =>
    (await tx.query((db) => db.selectFrom("facts").select("value").where("name", "=", "n")))[0]?.value;

  /** Takes a few milliseconds. */
  const counting = statement((db) =>
    db
      .withRecursive("numbers", (cte) =>
        cte.selectNoFrom(sql<number>`1`.as("n")).unionAll(
          cte
            .selectFrom("numbers" as never)
            .select(sql<number>`n + 1`.as("n"))
            .where(sql<boolean>`n < 30000`),
        ),
      )
      .selectFrom("numbers")
      .select((all) => all.fn.countAll<number>().as("count")),
  );
  const countOften = async (reader: Reader) => {
    for (let statements = 0; statements < 50; statements++) await reader.all(counting, {});
  };

  it("copies the log to the file after a few rows, too, if their texts are long", async () => {
    const path = join(folder(), "data");
    const database = new SqliteDatabase(path);
    const megabyte = 1_000_000;
    for (let n = 0; n < 20; n++) await database.write(put(String(n).repeat(megabyte)));
    await vi.waitUntil(() => statSync(path).size > megabyte);
    expect((await database.read(get))?.length).toBe(2 * megabyte);
    await database.close();
  });

  it("lets the event loop serve others between the statements of a long read", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    let turns = 0;
    const over = new AbortController();
    const read = database.read(countOften).finally(() => over.abort());
    for (; !over.signal.aborted; turns++) await nextTurn();
    await read;
    expect(turns).toBeGreaterThan(10);
    await database.close();
  });

  it("completes short reads while long ones run, however many", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    await database.write(put("there"));
    const order: string[] = [];
    const reads = Array.from({ length: 4 }, () => database.read(countOften).then(() => order.push("long")));
    reads.push(database.read(get).then((value) => order.push(`short: ${value}`)));
    await Promise.all(reads);
    expect(order).toEqual(["short: there", "long", "long", "long", "long"]);
    await database.close();
  });

  it("returns the result of a long read that hides the errors of its statements", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    const counted = await database.read(async (reader) => {
      let count = 0;
      for (let statements = 0; statements < 50; statements++)
        count += await reader.all(counting, {}).then(
          () => 1,
          () => 0,
        );
      return count;
    });
    expect(counted).toBe(50);
    await database.close();
  });

  it("runs the first long read of a caller again, and neither the next ones nor those of others that are short", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    const [caller, other] = ["a", "b"].map((digit) => identityShares(`${digit.repeat(40)}/${"0".repeat(16)}`));
    /** How often the work ran. */
    const runs = async (work: (reader: Reader) => Promise<unknown>, shares?: readonly Share[]) => {
      let count = 0;
      await database.read((reader) => {
        count++;
        return work(reader);
      }, shares);
      return count;
    };
    expect([await runs(countOften, caller), await runs(countOften, caller)]).toEqual([2, 1]);
    expect([await runs(get, other), await runs(countOften, other)]).toEqual([1, 2]);
    // A short read in between returns the caller to the other short reads.
    expect([await runs(get, caller), await runs(get, caller), await runs(countOften, caller)]).toEqual([1, 1, 2]);
    await database.close();
  });

  it("completes a long read before it closes", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    const read = database.read(countOften).then(() => "completed");
    await database.close();
    expect(await read).toBe("completed");
  });

  it.each([
    {
      state: "newer",
      schema: `${createSchemaVersion}; insert into schema_version values (${currentSchema.version + 1}, 'x')`,
      message: "use a newer version",
    },
    {
      state: "earlier",
      schema: "create table facts (name text); pragma user_version = 12",
      message: "export its resources through the API with the version that wrote it",
    },
    {
      state: "changed",
      schema: `${createSchemaVersion}; insert into schema_version values (1, '${"0".repeat(64)}')`,
      message: "docs/operate/upgrade.md",
    },
  ])("rejects the $state schema without modifying it", ({ schema, message }) => {
    const path = join(folder(), "data");
    const database = new DatabaseSync(path);
    database.exec(schema);
    const tables = "select name, sql from sqlite_schema";
    const before = database.prepare(tables).all();
    database.close();
    expect(() => new SqliteDatabase(path)).toThrowError(UnsupportedSchemaError);
    expect(() => new SqliteDatabase(path)).toThrowError(message);
    const after = new DatabaseSync(path);
    expect(after.prepare(tables).all()).toEqual(before);
    after.close();
  });

  it.each(migrations.map((_, version) => version))("migrates a database of version %i", async (version) => {
    const path = join(folder(), "data");
    const older = new DatabaseSync(path);
    for (const migration of migrations.slice(0, version)) for (const step of migration(sqliteTypes)) older.exec(step);
    if (version > 0) {
      older.exec(`${createSchemaVersion}; insert into schema_version values (${version}, '${schemaDigest(version)}')`);
      older.exec("insert into facts values ('n', 'kept')");
    }
    older.close();
    const database = new SqliteDatabase(path);
    await database.write((tx) => replaceSecurityStamp(tx, "identity"));
    expect(await database.read((tx) => securityStampOf(tx, "identity"))).not.toEqual(initialStamp);
    expect(await database.read((tx) => securityStampOf(tx, "another"))).toEqual(initialStamp);
    expect(await database.read((tx) => get(tx))).toBe(version > 0 ? "kept" : undefined);
    await database.close();
  });

  it("commits the writes of one turn in one transaction", async () => {
    const path = join(folder(), "data");
    const database = new SqliteDatabase(path);
    const observer = new DatabaseSync(path, { readOnly: true });
    const version = () => Number(observer.prepare("pragma data_version").get()?.["data_version"]);
    const before = version();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        database.write((tx) =>
          tx.run({ build: (db) => db.insertInto("facts").values({ name: `n${n}`, value: "" }) }, {}),
        ),
      ),
    );
    // data_version changes when another connection commits: the twenty writes of one turn are one commit.
    expect(version() - before).toBe(1);
    observer.close();
    await database.close();
  });

  it("shows a read one consistent state while another process writes, and the next read the new state", async () => {
    const path = join(folder(), "data");
    const database = new SqliteDatabase(path);
    const command = new SqliteDatabase(path);
    await database.write(put("before"));
    const seen = await database.read(async (tx) => {
      const first = await get(tx);
      await command.write(put("after"));
      return [first, await get(tx)];
    });
    expect(seen).toEqual(["before", "before"]);
    expect(await database.read(get)).toBe("after");
    await command.close();
    await database.close();
  });

  it("shows a write to every read that starts after it, also while other reads run", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    await database.write(put("before"));
    let later: Promise<string | undefined> | undefined;
    const seen = await database.read(async (tx) => {
      const first = await get(tx);
      await database.write(put("after"));
      later = database.read(get);
      return [first, await get(tx)];
    });
    expect(seen).toEqual(["before", "before"]);
    expect(await later).toBe("after");
    await database.close();
  });

  it("completes the other reads of a turn if one of them fails", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    await database.write(put("there"));
    const reads = [
      database.read(get),
      database.read(async (tx) => {
        await get(tx);
        throw new Error("refused");
      }),
      database.read(get),
    ];
    expect(await Promise.allSettled(reads)).toEqual([
      { status: "fulfilled", value: "there" },
      { status: "rejected", reason: new Error("refused") },
      { status: "fulfilled", value: "there" },
    ]);
    await database.close();
  });

  it("repeats a batch only after a write that failed with changes, which are undone", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    const runs: string[] = [];
    const write = (name: string, failing?: "before" | "after") =>
      database.write(async (tx) => {
        runs.push(name);
        if (failing === "before") throw new Error(`${name} failed`);
        await tx.run({ build: (db) => db.insertInto("facts").values({ name, value: "" }) }, {});
        if (failing === "after") throw new Error(`${name} failed`);
      });
    const names = async () =>
      (await database.read((tx) => tx.query((db) => db.selectFrom("facts").select("name").orderBy("name")))).map(
        ({ name }) => name,
      );
    const outcomes = async (writes: Promise<void>[]) => (await Promise.allSettled(writes)).map(({ status }) => status);

    expect(await outcomes([write("a"), write("b", "before"), write("c")])).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect([runs.splice(0), await names()]).toEqual([
      ["a", "b", "c"],
      ["a", "c"],
    ]);
    expect(await outcomes([write("d"), write("e", "after"), write("f")])).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect([runs.splice(0), await names()]).toEqual([
      ["d", "e", "d", "f"],
      ["a", "c", "d", "f"],
    ]);
    // More such writes repeat nothing: the next batches use savepoints from their start.
    expect(await outcomes([write("g"), write("h", "after")])).toEqual(["fulfilled", "rejected"]);
    expect([runs, await names()]).toEqual([
      ["g", "h"],
      ["a", "c", "d", "f", "g"],
    ]);
    await database.close();
  });

  it("rejects a write after it was closed", async () => {
    const database = new SqliteDatabase(join(folder(), "data"));
    await database.close();
    await expect(database.write(put("late"))).rejects.toBeInstanceOf(DatabaseUnavailableError);
  });

  it("reports a locked file as unavailable, and recovers", async () => {
    const path = join(folder(), "data");
    const database = new SqliteDatabase(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    await expect(database.write(async () => 1)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    other.exec("rollback");
    other.close();
    expect(await database.write(async () => 2)).toBe(2);
    await database.close();
  });
});
