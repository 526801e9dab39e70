import { sql } from "kysely";
import type { Migration } from "./migration.ts";

/** The subject tokens that are accepted once. */
export const usedTokens: Migration = (db, types) => [
  db.schema
    .createTable("used_tokens")
    .addColumn("digest", sql.raw(types.text), (column) => column.primaryKey().notNull())
    .addColumn("expires", sql.raw(types.integer), (column) => column.notNull())
    .modifyEnd(sql.raw(types.clustered)),
  db.schema.createIndex("used_tokens_by_expires").on("used_tokens").columns(["expires"]),
];
