import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { subtreeOf } from "../contract/uid.ts";
import type { ResourceTable, Tables } from "../store/schema/tables.ts";
import type { Region } from "./region.ts";

export type RowBuilder<T extends ResourceTable = ResourceTable> = ExpressionBuilder<Tables, T>;

/** A filter on the rows of a table, over its columns. Without a table: one on the columns that all of them share. */
export type Condition<T extends ResourceTable = ResourceTable> = (row: RowBuilder<T>) => Expression<SqlBool>;

/** The filter by name that every collection of named resources has. The empty string means no filter. */
export function nameIs(name: string): Condition[] {
  return name === "" ? [] : [(row) => row("name", "=", name)];
}

/**
 * Erases the table of the conditions, for queries that are generic in their table. The caller ensures that the query is on
 * the same table.
 */
export function onSharedColumns<T extends ResourceTable>(conditions: readonly Condition<T>[]): readonly Condition[] {
  return conditions as readonly Condition[];
}

export function allOf(row: RowBuilder, conditions: readonly Condition[]): Expression<SqlBool> {
  return row.and(conditions.map((condition) => condition(row)));
}

/** Rows in one of the regions. The indexes on uid and parent can serve this condition. */
export function inRegions(regions: readonly Region[]): Condition {
  return (row) => row.or(regions.map((region) => inRegion(row, region, row.ref("uid"), row.ref("parent"))));
}

/**
 * Rows in one of the regions, written so that no index serves it: the columns are inside expressions. It is for walks along another index,
 * which end at their limit (`ordered-walk.ts`): the maintained counts tell that they are shorter than what an index on uid or parent has.
 * Neither database has a standard way to say that, and a materialized expression would read all rows.
 */
export function inRegionsWithoutIndex(regions: readonly Region[]): Condition {
  return (row) =>
    row.or(
      regions.map((region) =>
        inRegion(row, region, sql<string>`${row.ref("uid")} || ''`, sql<string | null>`${row.ref("parent")} || ''`),
      ),
    );
}

function inRegion(
  row: RowBuilder,
  region: Region,
  uid: Expression<string>,
  parent: Expression<string | null>,
): Expression<SqlBool> {
  switch (region.kind) {
    case "everything":
      return row(uid, ">", "");
    case "roots":
      return row(parent, "is", null);
    case "subtree":
      return row.and([row(uid, ">=", region.uid), row(uid, "<", subtreeOf(region.uid).to)]);
    case "descendants":
      return row.and([row(uid, ">=", subtreeOf(region.uid).from), row(uid, "<", subtreeOf(region.uid).to)]);
    case "children":
      // The range is for indexes that begin with something else than the parent.
      return row.and([
        row(parent, "=", region.uid),
        row(uid, ">=", subtreeOf(region.uid).from),
        row(uid, "<", subtreeOf(region.uid).to),
      ]);
    case "resource":
      return row(uid, "=", region.uid);
  }
}
