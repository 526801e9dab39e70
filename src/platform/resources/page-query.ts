import type { ResourceColumns, ResourceTable } from "../store/schema/tables.ts";
import type { Order } from "./order.ts";
import type { Cursor } from "./page-token.ts";
import type { Region } from "./region.ts";
import type { Condition } from "./row-condition.ts";

/** Which rows a page has. */
export interface PageQuery {
  readonly table: ResourceTable;
  readonly regions: readonly Region[];
  readonly conditions: readonly Condition[];
  readonly order: Order;
  /** Where the page before ended. */
  readonly cursor: Cursor | undefined;
  /** How many rows behind the cursor are passed over. */
  readonly skip: number;
  readonly limit: number;
  /** How many rows there are without cursor and limit, of how many in the table; undefined where it is not kept. */
  readonly share: { readonly found: number; readonly all: number } | undefined;
}

export type PageRow = ResourceColumns;
