import { Kysely } from "kysely";
import type { Pool } from "pg";
import { postgresDialect } from "../compiler.ts";
import { NewerSchemaError } from "../database.ts";
import { migrations, postgresTypes } from "../schema/migrations.ts";

/** The key of the advisory lock under which replicas that start at the same time create the first table. Any constant. */
const startLock = 7_306_086_967_395_283;

/**
 * Migrates the schema to the current version, in one transaction. Writes of running replicas wait meanwhile, because
 * every write locks `schema_version`.
 * @throws NewerSchemaError
 */
export async function migratePostgres(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [startLock]);
    await client.query("create table if not exists schema_version (version integer not null)");
    await client.query("lock table schema_version in exclusive mode");
    const { rows } = await client.query<{ version: number }>("select version from schema_version");
    const found = rows[0]?.version ?? 0;
    if (found > migrations.length) throw new NewerSchemaError(found, migrations.length);
    if (found < migrations.length) {
      const builder = new Kysely<unknown>({ dialect: postgresDialect });
      for (const migration of migrations.slice(found))
        for (const step of migration(builder, postgresTypes)) await client.query(step.compile().sql);
      await client.query("delete from schema_version");
      await client.query("insert into schema_version values ($1)", [migrations.length]);
    }
    await client.query("commit");
    client.release();
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true);
    throw error;
  }
}
