import { type Compilable, type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { ResourceColumns, ResourceTable } from "./tables.ts";

/** What the backends call things. */
export interface SqlTypes {
  /** A text that compares byte by byte. */
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** The key of a table whose rows are numbered in the order in which they came. */
  readonly sequence: string;
  /** Stands behind a table's columns where its rows are to lie in the order of its key. */
  readonly clustered: string;
}

/** One step of the schema, forward only; its version is its place in the list of `migrations.ts`, from 1. */
export type Migration = (db: Kysely<unknown>, types: SqlTypes) => readonly Compilable[];

/** The table of a collection, to which its own columns are added. */
export function resourceTable(
  db: Kysely<unknown>,
  types: SqlTypes,
  table: ResourceTable,
): CreateTableBuilder<ResourceTable, keyof ResourceColumns> {
  const text = sql.raw(types.text);
  const integer = sql.raw(types.integer);
  return db.schema
    .createTable(table)
    .addColumn("uid", text, (column) => column.primaryKey().notNull())
    .addColumn("parent", text)
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("create_time", integer, (column) => column.notNull())
    .addColumn("update_time", integer, (column) => column.notNull())
    .addColumn("body", sql.raw(types.bytes), (column) => column.notNull());
}

/** Named after its first column: what a List sorts or filters by, then the uid that breaks ties. */
export function resourceIndex(db: Kysely<unknown>, table: ResourceTable, ...columns: string[]): Compilable {
  return db.schema.createIndex(`${table}_by_${columns[0]}`).on(table).columns(columns);
}
