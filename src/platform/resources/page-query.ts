import type { ResourceTable } from "../store/schema/tables.ts";
import type { Order } from "./order.ts";
import type { Cursor } from "./page-token.ts";
import type { Region } from "./region.ts";
import type { Condition } from "./row-condition.ts";

/** Selects the rows of a page. */
export interface PageQuery {
  readonly table: ResourceTable;
  readonly regions: readonly Region[];
  readonly conditions: readonly Condition[];
  readonly order: Order;
  /** The end of the previous page. */
  readonly cursor: Cursor | undefined;
  /** The number of rows after the cursor that are skipped. */
  readonly skip: number;
  readonly limit: number;
  /** The number of selected rows without cursor and limit, and of all rows of the table; undefined if it is not known. */
  readonly counts: { readonly selected: number; readonly table: number } | undefined;
  /** The number of selected rows in each region; undefined if it is not known. */
  readonly regionCounts?: readonly number[] | undefined;
}

/** An index entry: the value of the sort column, and the uid. */
export interface Entry {
  readonly uid: string;
  readonly sort: string | number;
}

/** A row without its body if that is large: the bodies of a page must not be in memory together. */
export interface PageRow extends Entry {
  readonly body: Uint8Array | null;
}
