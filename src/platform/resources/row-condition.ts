import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { ResourceTable, Tables } from "../store/schema/tables.ts";
import { subtreeOf } from "../contract/uid.ts";
import type { Region } from "./region.ts";

export type RowBuilder<T extends ResourceTable = ResourceTable> = ExpressionBuilder<Tables, T>;

/** A filter on the rows of a table, over its columns. Without a table: one on the columns that all of them share. */
export type Condition<T extends ResourceTable = ResourceTable> = (row: RowBuilder<T>) => Expression<SqlBool>;

/** The filter by name that every collection of named resources has. The empty string means no filter. */
export function nameIs(name: string): Condition[] {
  return name === "" ? [] : [(row) => row("name", "=", name)];
}

/**
 * The conditions as queries take them that are generic in the table. A caller has checked that the query is on the
 * conditions' own table.
 */
export function onSharedColumns<T extends ResourceTable>(conditions: readonly Condition<T>[]): readonly Condition[] {
  return conditions as readonly Condition[];
}

export function allOf(row: RowBuilder, conditions: readonly Condition[]): Expression<SqlBool> {
  return row.and(conditions.map((condition) => condition(row)));
}

/** Rows in one of the regions, found by the indexes on uid and parent. */
export function inRegions(regions: readonly Region[]): Condition {
  return (row) => row.or(regions.map((region) => inRegion(row, region, row.ref("uid"), row.ref("parent"))));
}

/** The same, said so that no index is chosen for it: a column in an expression is none that an index has. */
export function inRegionsByLooking(regions: readonly Region[]): Condition {
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
    case "within":
      return row.and([row(uid, ">=", region.uid), row(uid, "<", subtreeOf(region.uid).to)]);
    case "below":
      return row.and([row(uid, ">=", subtreeOf(region.uid).from), row(uid, "<", subtreeOf(region.uid).to)]);
    case "children":
      return row(parent, "=", region.uid);
    case "one":
      return row(uid, "=", region.uid);
  }
}
