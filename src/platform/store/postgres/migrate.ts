import { Kysely } from "kysely";
import type { Pool } from "pg";
import { postgresDialect } from "../compiler.ts";
import { migrations, postgresTypes } from "../schema/migrations.ts";
import { NewerSchemaError } from "../database.ts";

/** Any number that is always the same: replicas that start at once make the first table one after the other. */
const startLock = 7_306_086_967_395_283;

/**
 * Brings the schema up to date, whole or not at all. Replicas that run meanwhile do not write: they wait for the lock
 * on `schema_version` that every write takes.
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
