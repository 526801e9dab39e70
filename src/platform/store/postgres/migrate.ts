import type { Pool } from "pg";
import { postgresTypes } from "../schema/migration.ts";
import { migrations } from "../schema/migrations.ts";
import { createSchemaVersion, currentSchema, type SchemaVersion } from "../schema/schema-version.ts";
import { requireSupportedSchema } from "../supported-schema.ts";

/** The key of the advisory lock under which replicas that start at the same time create the first table. Any constant. */
const startLock = 7_306_086_967_395_283;

/**
 * Migrates the schema to the current version, in one transaction. Writes of running replicas wait meanwhile, because
 * every write locks `schema_version`.
 * @throws UnsupportedSchemaError
 */
export async function migratePostgres(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [startLock]);
    await client.query(createSchemaVersion);
    await client.query("lock table schema_version in exclusive mode");
    // The table of earlier schemas has no digest.
    const { rows } = await client.query<Partial<SchemaVersion>>("select * from schema_version");
    const [found] = rows;
    if (found !== undefined) requireSupportedSchema(found);
    const version = found?.version ?? 0;
    if (version < currentSchema.version) {
      for (const migration of migrations.slice(version))
        for (const statement of migration(postgresTypes)) await client.query(statement);
      await client.query("delete from schema_version");
      await client.query("insert into schema_version values ($1, $2)", [currentSchema.version, currentSchema.digest]);
    }
    await client.query("commit");
    client.release();
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true);
    throw error;
  }
}
