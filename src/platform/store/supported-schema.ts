import { currentSchema, schemaDigest, type SchemaVersion } from "./schema/schema-version.ts";

/** The data has a schema that this version of the platform can neither use nor migrate. It is not modified. */
export class UnsupportedSchemaError extends Error {
  override readonly name = "UnsupportedSchemaError";
}

/**
 * Requires that data has a schema that this version of the platform can use or migrate.
 * @param found of the data; without a digest if the data was written before schemas had digests
 * @throws UnsupportedSchemaError
 */
export function requireSupportedSchema({ version = 0, digest }: Partial<SchemaVersion>): void {
  const known = currentSchema.version;
  if (digest !== undefined && version > known)
    throw new UnsupportedSchemaError(
      `the data has schema version ${version}, but this version of the platform supports only ${known}: use a newer version`,
    );
  if (digest !== schemaDigest(version))
    throw new UnsupportedSchemaError(
      "the data was written by an unreleased version of the platform, and no other version can use it: export its resources through the API with the version that wrote it, and load them into a new platform (docs/operate/upgrade.md)",
    );
}
