import { existsSync } from "node:fs";
import { ExplainedError } from "#src/commands/explained-error.ts";
import type { Database } from "#src/platform/store/database.ts";
import { UnsupportedSchemaError } from "#src/platform/store/supported-schema.ts";
import { DataInUseError, DataLock, isBusy } from "#src/platform/store/sqlite/data-lock.ts";
import { type DiskReserveOptions, SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { isLoopback } from "./loopback.ts";

/** Where the data of a platform is stored: the settings of every command that uses it. */
export const dataSettings = {
  data: settings.optional(
    settings.file,
    "The SQLite file with the platform's data. `muster platform` creates it if it is missing. Exactly one of --data and --database is required.",
  ),
  database: settings.optional(
    databaseUrl(),
    "The PostgreSQL database with the platform's data, which several replicas can share. Without sslmode=verify-full in the URL, the connection is not encrypted. Prefer the environment variable if the URL contains a password: other users of the machine can see the command line.",
  ),
};

/** The key file of data that exists. */
export const keyFileSetting = () =>
  settings.optional(
    settings.file,
    "The file with the key that encrypts secrets in the data. (default: the --data file name with .key appended; required with --database)",
  );

export type DataLocation =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "database"; readonly url: string };

/** @throws {SettingsError} unless exactly one of the two is given. */
export function dataLocation({ data, database }: settings.Values<typeof dataSettings>): DataLocation {
  if (data !== undefined && database === undefined) return { kind: "file", path: data };
  if (data === undefined && database !== undefined) return { kind: "database", url: database };
  throw new settings.SettingsError([
    data === undefined
      ? "--data FILE (SQLite) or --database URL (PostgreSQL) is required"
      : "--data and --database cannot be given together",
  ]);
}

/**
 * Whether the data, and the password, go to another host without encryption although nobody decided that: the URL has no sslmode.
 * `sslmode=disable` decides it.
 */
export function isUnencryptedByDefault(location: DataLocation): boolean {
  if (location.kind === "file") return false;
  const { hostname, searchParams } = new URL(location.url);
  // Without a host, it is a socket of this machine.
  return hostname !== "" && !isLoopback(hostname) && !searchParams.has("sslmode");
}

/**
 * The path of a file that belongs to the data: next to the SQLite file, unless it is given.
 * @throws {SettingsError} if it is missing with --database, because a database has no such default.
 * @throws {Error} if its folder does not exist
 */
export function defaultFile(location: DataLocation, name: "admin-token" | "key", given: string | undefined): string {
  const flag = { "admin-token": "--admin-token-file", key: "--key-file" }[name];
  if (given !== undefined) {
    settings.requireFolderOf(flag, given);
    return given;
  }
  if (location.kind === "file") return `${location.path}.${name}`;
  throw new settings.SettingsError([`${flag} is required with --database`]);
}

/**
 * @param reserve what a SQLite database keeps for when the disk is full
 * @throws {ExplainedError} if the data cannot be used. @throws {Error} if the folder of a SQLite file does not exist
 */
export async function openDatabase(
  location: DataLocation,
  { connections = 2, reserve }: { readonly connections?: number; readonly reserve?: DiskReserveOptions } = {},
): Promise<Database> {
  if (location.kind === "file") {
    settings.requireFolderOf("--data", location.path);
    return openSqlite(location.path, reserve);
  }
  // Imported on demand, so that a platform on SQLite does not load the PostgreSQL client.
  const { PostgresDatabase } = await import("#src/platform/store/postgres/postgres-database.ts");
  return PostgresDatabase.open(location.url, { connections }).catch((error: Error) => {
    throw new ExplainedError("platform-data", error.message, { cause: error });
  });
}

/** @throws {ExplainedError} */
function openSqlite(path: string, reserve: DiskReserveOptions | undefined): SqliteDatabase {
  try {
    return new SqliteDatabase(path, { reserve });
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof UnsupportedSchemaError) throw new ExplainedError("platform-data", message, { cause: error });
    if (isBusy(error))
      throw new ExplainedError(
        "platform-data",
        `--data: another process writes to ${path} for a long time; wait for it, or end it`,
        {
          cause: error,
        },
      );
    throw new ExplainedError(
      "platform-data",
      `--data: cannot open ${path}: ${message}. If it is damaged, restore a backup with "muster platform restore"`,
      { cause: error },
    );
  }
}

/** @throws {Error} if the SQLite file does not exist. */
function requireData(location: DataLocation): void {
  if (location.kind === "file" && !existsSync(location.path))
    throw new Error(
      `--data: the file ${location.path} does not exist; "muster platform" creates it at its first start`,
    );
}

/**
 * Does the work of a command that expects data, and closes the database: a mistyped path must not create a new platform.
 * @throws {ExplainedError} if the data cannot be used. @throws {Error} if the SQLite file does not exist
 */
export async function withExistingDatabase<T>(
  location: DataLocation,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  requireData(location);
  const database = await openDatabase(location);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Does the work of a command that needs the platform to be stopped. That nobody starts one meanwhile is only sure for a SQLite file.
 * @throws {Error} if the SQLite file does not exist, or a platform uses it
 */
export async function withStoppedData<T>(location: DataLocation, command: string, work: () => Promise<T>): Promise<T> {
  requireData(location);
  return withDataLock(location, command, work);
}

/**
 * Does the work while no other platform, and no command that needs the platform to be stopped, uses the same SQLite file. Does
 * it at once on PostgreSQL, which platforms share.
 * @param command what the error of others calls this one
 * @throws {Error} if another one uses the file, or its folder does not exist
 */
export async function withDataLock<T>(location: DataLocation, command: string, work: () => Promise<T>): Promise<T> {
  if (location.kind === "database") return work();
  const lock = acquireDataLock(location.path, command);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function acquireDataLock(path: string, command: string): DataLock {
  settings.requireFolderOf("--data", path);
  try {
    return DataLock.acquire(path, command);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof DataInUseError)
      throw new ExplainedError(
        "platform-data",
        `--data: ${message}: stop it first. Several platforms can only share a PostgreSQL database (--database)`,
        { cause: error },
      );
    throw new Error(`--data: ${message}`, { cause: error });
  }
}

/** Its error does not repeat the URL, which may contain a password. */
export function databaseUrl() {
  return {
    placeholder: "postgres://USER@HOST/DATABASE",
    parse: (value: string): string => {
      const { protocol = "", pathname = "" } = URL.parse(value) ?? {};
      if (!["postgres:", "postgresql:"].includes(protocol) || pathname.length < 2)
        throw new Error("must be a PostgreSQL URL with a database, such as postgres://muster@db.example.com/muster");
      return value;
    },
  };
}
