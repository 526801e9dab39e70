import type { DatabaseSync } from "node:sqlite";
import { sqliteTypes } from "../schema/migration.ts";
import { migrations } from "../schema/migrations.ts";
import { createSchemaVersion, currentSchema, type SchemaVersion } from "../schema/schema-version.ts";
import { requireSupportedSchema } from "../supported-schema.ts";

/** Migrates the schema to the current version, in one transaction. @throws UnsupportedSchemaError */
export function migrateSqlite(database: DatabaseSync): void {
  database.exec("begin immediate");
  try {
    const found = schemaOf(database);
    if (found !== undefined) requireSupportedSchema(found);
    const version = found?.version ?? 0;
    if (version < currentSchema.version) {
      for (const migration of migrations.slice(version))
        for (const statement of migration(sqliteTypes)) database.exec(statement);
      database.exec(`${createSchemaVersion}; delete from schema_version`);
      database.prepare("insert into schema_version values (?, ?)").run(currentSchema.version, currentSchema.digest);
    }
    database.exec("commit");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

/** The schema of a platform's data, or undefined if the file has none. */
export function schemaOf(database: DatabaseSync): Partial<SchemaVersion> | undefined {
  if (database.prepare("select 1 from sqlite_schema where name = 'schema_version'").get() !== undefined)
    return database.prepare("select version, digest from schema_version").get();
  // Schemas without a digest had their version here.
  const version = Number(database.prepare("pragma user_version").get()?.["user_version"]);
  return version === 0 ? undefined : { version };
}
