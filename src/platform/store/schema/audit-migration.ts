import { sql } from "kysely";
import type { Migration } from "./migration.ts";

/** The audit log: who changed what, and when. */
export const auditLog: Migration = (db, types) => {
  const text = sql.raw(types.text);
  return [
    db.schema
      .createTable("audit_log")
      .addColumn("sequence", sql.raw(types.sequence))
      .addColumn("time", sql.raw(types.integer), (column) => column.notNull())
      .addColumn("actor", text, (column) => column.notNull())
      .addColumn("author", text, (column) => column.notNull())
      .addColumn("action", text, (column) => column.notNull())
      .addColumn("type", text, (column) => column.notNull())
      .addColumn("uid", text, (column) => column.notNull())
      .addColumn("fields", text, (column) => column.notNull()),
    // Most queries are by resource. All others scan the log from its beginning.
    db.schema.createIndex("audit_log_by_uid").on("audit_log").columns(["uid", "sequence"]),
  ];
};
