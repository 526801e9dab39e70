import { type Compilable, type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { ResourceColumns, ResourceTable } from "./tables.ts";

/** The spelling of types and clauses in one backend. */
export interface SqlTypes {
  /** Text that is compared byte by byte. */
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** A primary key that numbers rows in the order of insertion. */
  readonly sequence: string;
  /** The clause after a table's columns that stores its rows in the order of the primary key. */
  readonly clustered: string;
}

/** One step of the schema, forward only. Its version is its position in `migrations`, from 1. */
export type Migration = (db: Kysely<unknown>, types: SqlTypes) => readonly Compilable[];

/** Starts the table of a collection. The collection's own columns are added to the result. */
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

/**
 * An index named after its first column. The columns are those that a List sorts or filters by, followed by the uid, which
 * breaks ties.
 */
export function resourceIndex(db: Kysely<unknown>, table: ResourceTable, ...columns: string[]): Compilable {
  return db.schema.createIndex(`${table}_by_${columns[0]}`).on(table).columns(columns);
}
