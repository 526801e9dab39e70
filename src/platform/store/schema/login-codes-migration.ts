import { sql } from "kysely";
import type { Migration } from "./migration.ts";

/** The codes of logins that are not complete: authorization codes, and those of devices. */
export const loginCodes: Migration = (db, types) => {
  const text = sql.raw(types.text);
  const integer = sql.raw(types.integer);
  return [
    db.schema
      .createTable("login_codes")
      .addColumn("hash", text, (column) => column.primaryKey().notNull())
      .addColumn("user_code_hash", text)
      .addColumn("address", text, (column) => column.notNull())
      .addColumn("expires", integer, (column) => column.notNull())
      .addColumn("state", text, (column) => column.notNull())
      .addColumn("next_poll", integer, (column) => column.notNull())
      .addColumn("content", text, (column) => column.notNull())
      .modifyEnd(sql.raw(types.clustered)),
    db.schema.createIndex("login_codes_by_expires").on("login_codes").columns(["expires", "address"]),
    db.schema.createIndex("login_codes_by_user_code").unique().on("login_codes").column("user_code_hash"),
  ];
};
