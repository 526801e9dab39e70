import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOrCreateKeyFile } from "#src/platform/tokens/master-key.ts";
import { SigningKeys } from "#src/platform/tokens/signing-keys.ts";
import { statement } from "../database.ts";
import { createSchemaVersion, currentSchema } from "../schema/schema-version.ts";
import { UnsupportedSchemaError } from "../supported-schema.ts";
import { backupSqlite, restoreSqlite } from "./sqlite-backup.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

const put = statement((db, p: { name: string; value: string }) =>
  db.insertInto("facts").values({ name: p.name, value: p.value }),
);
const all = statement<object, { name: string; value: string }>((db) =>
  db.selectFrom("facts").selectAll().where("value", "=", "pair"),
);

const folder = mkdtempSync(join(tmpdir(), "muster-backup-"));
const data = join(folder, "data");
let database: SqliteDatabase;
let number = 0;
const another = () => join(folder, `file-${++number}`);
/** Writes two rows in one transaction. */
const writePair = (name: string) =>
  database.write(async (tx) => {
    await tx.run(put, { name: `${name}-left`, value: "pair" });
    await tx.run(put, { name: `${name}-right`, value: "pair" });
  });

beforeAll(() => {
  database = new SqliteDatabase(data);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

describe("backup and restore", () => {
  it("copies a consistent snapshot while the platform writes", async () => {
    await writePair("before");
    const writing = Array.from({ length: 200 }, (_, n) => writePair(`during-${n}`));
    await writing[20];
    const [file, restored] = [another(), another()];
    backupSqlite(data, file);
    await Promise.all(writing);
    restoreSqlite(file, restored);
    for (const path of [file, restored]) expect(statSync(path).mode & 0o777).toBe(0o600);

    const opened = new SqliteDatabase(restored);
    const names = (await opened.read((tx) => tx.all(all, {}))).map(({ name }) => name);
    await opened.close();
    expect(names).toContain("before-left");
    const halves = Map.groupBy(names, (name) => name.replace(/-(left|right)$/, ""));
    for (const [pair, both] of halves) expect(both, pair).toHaveLength(2);
  });

  it("does not allow signing without the key file", async () => {
    const keysOf = (from: SqliteDatabase, keyFile: string) =>
      SigningKeys.load({
        database: from,
        masterKey: readOrCreateKeyFile(join(folder, keyFile)),
        clock: Date.now,
        log: pino({ level: "silent" }),
        interval: 3_600_000,
      });
    const { kid } = await (await keysOf(database, "key")).current();
    const [file, restored] = [another(), another()];
    backupSqlite(data, file);
    restoreSqlite(file, restored);
    const opened = new SqliteDatabase(restored);
    await expect(keysOf(opened, "other-key")).rejects.toThrowError("sealed with another key file");
    expect((await (await keysOf(opened, "key")).current()).kid).toBe(kid);
    await opened.close();
  });

  it("never overwrites a file, and leaves nothing behind when it fails", async () => {
    const file = another();
    writeFileSync(file, "mine");
    expect(() => backupSqlite(data, file)).toThrowError("exists already");
    expect(readFileSync(file, "utf8")).toBe("mine");
    const backup = another();
    backupSqlite(data, backup);
    expect(() => restoreSqlite(backup, data)).toThrowError("stop the platform");
    expect(() => backupSqlite(join(folder, "nothing"), another())).toThrowError("does not exist");
    expect(existsSync(join(folder, "nothing"))).toBe(false);
  });

  it("rejects a file that is not a backup, is newer or earlier, or is damaged", () => {
    const before = readdirSync(folder).length;
    const other = another();
    writeFileSync(other, "not a database at all, but a text that is long enough to be looked at");
    expect(() => restoreSqlite(other, another())).toThrowError("does not hold the data of a platform");
    rmSync(other);

    const newer = another();
    const file = new DatabaseSync(newer);
    file.exec(`${createSchemaVersion}; insert into schema_version values (${currentSchema.version + 1}, 'x')`);
    file.close();
    expect(() => restoreSqlite(newer, another())).toThrowError(UnsupportedSchemaError);
    rmSync(newer);

    const earlier = another();
    const earlierFile = new DatabaseSync(earlier);
    earlierFile.exec("create table facts (name text); pragma user_version = 12");
    earlierFile.close();
    expect(() => restoreSqlite(earlier, another())).toThrowError(UnsupportedSchemaError);
    rmSync(earlier);

    const damaged = another();
    backupSqlite(data, damaged);
    const bytes = readFileSync(damaged);
    // Damage the second half only: the first page identifies the file.
    bytes.fill(0xff, Math.floor(bytes.length / 2));
    writeFileSync(damaged, bytes);
    expect(() => restoreSqlite(damaged, another())).toThrowError(/damaged|malformed/);
    rmSync(damaged);
    expect(readdirSync(folder).length).toBe(before);
  });
});
