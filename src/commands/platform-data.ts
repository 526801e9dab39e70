import { existsSync } from "node:fs";
import type { Database } from "#src/platform/store/database.ts";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import * as settings from "./settings.ts";

/** Where a platform's data is: the settings of every command that works on it. */
export const dataSettings = {
  data: settings.optional(
    settings.file,
    "the SQLite file that holds everything; made where there is none. Give this or --database",
  ),
  database: settings.optional(
    databaseUrl(),
    "the PostgreSQL database that holds everything, for several replicas; rather as the variable: a command line can be seen by all",
  ),
};

export type DataPlace =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "database"; readonly url: string };

/** @throws SettingsError unless it is exactly one */
export function dataPlace({ data, database }: settings.Values<typeof dataSettings>): DataPlace {
  if (data !== undefined && database === undefined) return { kind: "file", path: data };
  if (data === undefined && database !== undefined) return { kind: "database", url: database };
  throw new settings.SettingsError([
    `give --data FILE (SQLite) or --database URL (PostgreSQL), ${data === undefined ? "one of them" : "not both"}`,
  ]);
}

/** A file that belongs to the data, beside it unless said otherwise. @throws SettingsError: beside a database is nowhere */
export function fileBeside(place: DataPlace, name: "admin-token" | "key", given: string | undefined): string {
  if (given !== undefined) return given;
  if (place.kind === "file") return `${place.path}.${name}`;
  const flag = { "admin-token": "--admin-token-file", key: "--key-file" }[name];
  throw new settings.SettingsError([`${flag} is required with --database`]);
}

/** @throws NewerSchemaError, DatabaseUnavailableError */
export async function openStore(place: DataPlace, connections = 2): Promise<Database> {
  if (place.kind === "file") return new SqliteDatabase(place.path);
  // Whoever keeps a file pays nothing for this.
  const { PostgresDatabase } = await import("#src/platform/store/postgres/postgres-database.ts");
  return PostgresDatabase.open(place.url, { connections });
}

/** For tools: a mistyped path must not become a new platform. @throws Error where there is no data */
export async function openExistingStore(place: DataPlace): Promise<Database> {
  if (place.kind === "file" && !existsSync(place.path))
    throw new Error(`--data: there is no file ${place.path}; start the platform on it once`);
  return openStore(place);
}

/** What is wrong with it is said without repeating it: it may hold a password. */
function databaseUrl() {
  return {
    placeholder: "postgres://USER@HOST/DATABASE",
    parse: (value: string): string => {
      const { protocol = "", pathname = "" } = URL.parse(value) ?? {};
      if (!["postgres:", "postgresql:"].includes(protocol) || pathname.length < 2)
        throw new Error("is not a PostgreSQL URL with a database, such as postgres://muster@db.example.com/muster");
      return value;
    },
  };
}
