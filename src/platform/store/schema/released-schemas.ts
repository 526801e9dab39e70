/**
 * The digests (`schemaDigest`) of the schemas of all releases, by version from 1. A release adds those of its new migrations.
 * There is no release yet.
 */
export const releasedSchemas: readonly string[] = [];
