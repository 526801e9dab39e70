import { accessTables } from "./access-tables.ts";
import { auditTable } from "./audit-table.ts";
import type { Migration } from "./migration.ts";
import { resourceTables } from "./resource-tables.ts";
import { treeTables } from "./tree-tables.ts";

/**
 * The schema of the first release. Until then it is edited in place. After it, neither this nor any other migration of a release is
 * changed (`released-schemas.ts`).
 */
const initialSchema: Migration = (types) =>
  [resourceTables, treeTables, accessTables, auditTable].flatMap((tables) => tables(types));

/**
 * A part of the digest of the schema. Raise it if a stored message gets another meaning before the first release, so that data of
 * earlier commits is refused. `npm run check` says when.
 */
export const storedForm = 1;

/** Every change of the schema after a release is a new migration at the end, in a file of its own. */
export const migrations: readonly Migration[] = [initialSchema];
