import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import type { Database } from "#src/platform/store/database.ts";
import { PostgresDatabase } from "#src/platform/store/postgres/postgres-database.ts";
import { describeIfPostgres } from "./describe-with-postgres.testing.ts";
import { newPostgresDatabase } from "./new-database.testing.ts";
import { newSqliteDatabase } from "./new-sqlite-database.testing.ts";

/** A new database with the platform's schema and no rows. */
export interface TestDatabase {
  readonly database: Database;
  /** Closes the database and removes its data. */
  readonly remove: () => Promise<void>;
}

/** The same suite on SQLite and on PostgreSQL. */
export function describeOnEachBackend(name: string, tests: (open: () => Promise<TestDatabase>) => void): void {
  describe(`${name} on SQLite`, () => {
    tests(async () => {
      const folder = mkdtempSync(join(tmpdir(), "muster-database-"));
      const database = await newSqliteDatabase(join(folder, "data"));
      const remove = async () => {
        await database.close();
        rmSync(folder, { recursive: true });
      };
      return { database, remove };
    });
  });

  describeIfPostgres(`${name} on PostgreSQL`, () => {
    tests(async () => {
      const database = await PostgresDatabase.open(await newPostgresDatabase(), { connections: 3 });
      return { database, remove: () => database.close() };
    });
  });
}
