import { sql } from "kysely";
import type { Migration } from "./migration.ts";

/** Named admins. The token without a name, which never expires, was there before. */
export const namedAdmins: Migration = (db, types) => [
  db.schema.alterTable("admin_tokens").addColumn("name", sql.raw(types.text)),
  db.schema.alterTable("admin_tokens").addColumn("expires", sql.raw(types.integer)),
  db.schema.createIndex("admin_tokens_by_name").unique().on("admin_tokens").column("name"),
];
