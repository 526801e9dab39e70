import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SchemaVersion } from "../schema/schema-version.ts";
import { requireSupportedSchema } from "../supported-schema.ts";
import { schemaOf } from "./migrate.ts";

/** How long to wait while a running platform locks the file (ms). */
const busyTimeout = 10_000;
/** SQLITE_NOTADB, the code of a file that is not a database at all. */
const notADatabase = 26;

/**
 * Copies the data of a platform, which may be running: the copy is a consistent snapshot. Secrets in it stay sealed with
 * the key file, which is not part of it.
 * @throws Error if the data does not exist or the backup file exists
 * @throws UnsupportedSchemaError
 */
export function backupSqlite(data: string, file: string): void {
  if (!existsSync(data)) throw new Error(`${data} does not exist`);
  copy(data, file);
}

/**
 * Restores the data of a platform from a backup that was made by this version or an older one.
 * @throws Error if the backup is missing, damaged or not a backup, or if the data exists
 * @throws UnsupportedSchemaError
 */
export function restoreSqlite(file: string, data: string): void {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  for (const path of [data, `${data}-wal`, `${data}-shm`])
    if (existsSync(path)) throw new Error(`${path} exists: stop the platform and move its data away first`);
  copy(file, data);
}

/** Copies the file completely or not at all. The copy belongs to its owner only, and is synced when this returns. */
function copy(from: string, to: string): void {
  if (existsSync(to)) throw new Error(`${to} exists already: name another file`);
  const temporary = `${to}.${randomBytes(6).toString("hex")}`;
  const source = new DatabaseSync(from, { readOnly: true, timeout: busyTimeout });
  try {
    check(source, from);
    closeSync(openSync(temporary, "wx", 0o600));
    source.prepare("vacuum into ?").run(temporary);
    sync(temporary);
    // Unlike rename, link never replaces a file that was created in the meantime.
    linkSync(temporary, to);
  } finally {
    source.close();
    rmSync(temporary, { force: true });
  }
  sync(dirname(to));
}

function check(source: DatabaseSync, path: string): void {
  const schema = readSchema(source, path);
  if (schema === undefined) throw new Error(`${path} does not hold the data of a platform`);
  requireSupportedSchema(schema);
  const [first] = source.prepare("pragma integrity_check(1)").all();
  if (first?.["integrity_check"] !== "ok") throw new Error(`${path} is damaged: ${String(first?.["integrity_check"])}`);
}

function readSchema(source: DatabaseSync, path: string): Partial<SchemaVersion> | undefined {
  try {
    return schemaOf(source);
  } catch (cause) {
    const { errcode, message } = cause as Error & { errcode?: number };
    if (errcode === notADatabase) throw new Error(`${path} does not hold the data of a platform`, { cause });
    throw new Error(`${path} is damaged: ${message}`, { cause });
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
