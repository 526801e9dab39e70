import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hours } from "#src/time/durations.ts";
import { SqliteDatabase } from "../store/sqlite/sqlite-database.ts";
import { openKeyFile } from "./key-file.ts";
import { SigningKeys } from "./signing-keys.ts";

let folder = "";
let database: SqliteDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-key-file-"));
  database = new SqliteDatabase(join(folder, "data"));
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

it("is created for new data, also after a start that got no further", async () => {
  const file = join(folder, "key");
  await openKeyFile(file, database);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  rmSync(file);
  await openKeyFile(file, database);
  expect(existsSync(file)).toBe(true);
});

it("is never created beside data that another key has sealed", async () => {
  const [file, backup] = [join(folder, "key"), join(folder, "backup")];
  const masterKey = await openKeyFile(file, database);
  const options = { database, clock: Date.now, log: pino({ level: "silent" }), interval: hours(24) };
  await SigningKeys.load({ ...options, masterKey });
  const content = readFileSync(file, "utf8");
  renameSync(file, backup);
  await expect(openKeyFile(file, database)).rejects.toThrow(`the key file ${file} does not exist, and the data is`);
  expect(existsSync(file)).toBe(false);
  renameSync(backup, file);
  await SigningKeys.load({ ...options, masterKey: await openKeyFile(file, database) });
  expect(readFileSync(file, "utf8")).toBe(content);
});
