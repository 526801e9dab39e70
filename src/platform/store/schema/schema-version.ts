import { createHash } from "node:crypto";
import { postgresTypes, sqliteTypes } from "./migration.ts";
import { migrations, storedForm } from "./migrations.ts";

/** The only row of the table `schema_version`, which both backends have apart from their migrations. */
export interface SchemaVersion {
  /** The number of migrations that were applied. */
  readonly version: number;
  /** The digest of those migrations. */
  readonly digest: string;
}

/** Creates the table of `SchemaVersion`. */
export const createSchemaVersion =
  "create table if not exists schema_version (version integer not null, digest text not null)";

/** The schema of this version of the platform. */
export const currentSchema: SchemaVersion = { version: migrations.length, digest: schemaDigest(migrations.length) };

/**
 * SHA-256, in hex, of the stored form and the statements of the first migrations for both backends. White space does not count.
 * @param version the number of migrations
 */
export function schemaDigest(version: number): string {
  const hash = createHash("sha256").update(`${storedForm};\n`);
  for (const migration of migrations.slice(0, version))
    for (const types of [sqliteTypes, postgresTypes])
      for (const statement of migration(types)) hash.update(`${statement.replaceAll(/\s+/g, " ").trim()};\n`);
  return hash.digest("hex");
}
