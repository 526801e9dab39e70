import { type Kysely, sql } from "kysely";
import type { Migration } from "./migration.ts";
import type { Tables } from "./tables.ts";

/** The audit log contains events that change nothing, and is listed by root group or by actor. */
export const auditEvents: Migration = (untyped, types) => {
  const db = untyped as Kysely<Tables>;
  const text = sql.raw(types.text);
  const integer = sql.raw(types.integer);
  const addText = (name: string) =>
    db.schema.alterTable("audit_log").addColumn(name, text, (column) => column.notNull().defaultTo(""));
  const addNumber = (name: string) =>
    db.schema.alterTable("audit_log").addColumn(name, integer, (column) => column.notNull().defaultTo(0));
  return [
    addText("root"),
    addText("method"),
    addNumber("code"),
    addNumber("event"),
    addText("details"),
    db.updateTable("audit_log").set({ root: sql<string>`substr(uid, 1, 40)` }).where("uid", "!=", sql.lit("")),
    db.schema.createIndex("audit_log_by_root").on("audit_log").columns(["root", "sequence"]),
    db.schema.createIndex("audit_log_by_actor").on("audit_log").columns(["actor", "sequence"]),
    db.schema
      .createIndex("audit_log_events")
      .on("audit_log")
      .columns(["sequence"])
      .where(sql.ref("event"), "=", sql.lit(1)),
  ];
};
