import type { Reader } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import { subtreeOf } from "../contract/uid.ts";
import type { Order } from "./order.ts";
import { walkInOrder } from "./ordered-walk.ts";
import type { PageQuery, PageRow } from "./page-query.ts";
import type { Cursor } from "./page-token.ts";
import type { Region } from "./region.ts";
import { allOf, type Condition, inRegions, type RowBuilder } from "./row-condition.ts";

/** Reading a row and sorting it costs about so many times what looking at an entry of an index does. */
const rowPerEntry = 4;

/**
 * The rows of a page, in order. A database has no way that is quick for every page of a tree, so there are three:
 * by uid, one range of the key after the other; by another column along its index, where enough of it is asked for; else
 * what is asked for is read and sorted. The kept counts tell which of the latter two is less: in a table of a million
 * rows neither looks at more than some 30,000.
 */
export async function pageRows(reader: Reader, query: PageQuery): Promise<PageRow[]> {
  if (query.order.column === "uid" && areRanges(query.regions)) return rowsByUid(reader, query);
  return shouldWalk(query) ? walkInOrder(reader, query) : sortedRows(reader, query);
}

function shouldWalk({ order, share, limit, skip }: PageQuery): boolean {
  if (order.column === "uid" || share === undefined || share.found === 0) return false;
  // An index gives ties in one direction; passing over rows against it would read all of the ties.
  if (order.direction === "desc" && skip > 0) return false;
  return ((limit + skip) * share.all) / share.found < share.found * rowPerEntry;
}

/** Whether the regions stand one behind the other in the order of uids. */
function areRanges(regions: readonly Region[]): boolean {
  return regions.length === 1 || regions.every(({ kind }) => kind !== "children" && kind !== "roots");
}

async function rowsByUid(reader: Reader, query: PageQuery): Promise<PageRow[]> {
  const { regions, conditions, order, cursor } = query;
  const ascending = regions.toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
  const rows: PageRow[] = [];
  let { skip } = query;
  for (const region of order.direction === "asc" ? ascending : ascending.toReversed()) {
    const limit = query.limit - rows.length;
    if (limit === 0) break;
    const there: Condition[] = [(row) => inRange(row, region, order, cursor?.uid), ...conditions];
    const found = await reader.query((db) =>
      selectRows(query, db)
        .where((row) => allOf(row, there))
        .orderBy("uid", order.direction)
        .limit(limit)
        .offset(skip),
    );
    rows.push(...found);
    // All of the region is passed over, and perhaps more behind it.
    if (found.length === 0 && skip > 0) skip -= await countRows(reader, query.table, there);
    else skip = 0;
  }
  return rows;
}

/** The region behind the cursor. Of two lower bounds a database may use the wrong one, so there is one. */
function inRange(row: RowBuilder, region: Region, { direction }: Order, cursor: string | undefined) {
  const range = rangeOf(region);
  if (cursor === undefined) return inRegions([region])(row);
  if (range === undefined)
    return row.and([inRegions([region])(row), row("uid", direction === "asc" ? ">" : "<", cursor)]);
  const { from, to } = range;
  const [lower, upper] =
    direction === "asc"
      ? [
          cursor < from ? row("uid", ">=", from) : row("uid", ">", cursor),
          to === undefined ? [] : [row("uid", "<", to)],
        ]
      : [row("uid", ">=", from), [row("uid", "<", to === undefined || cursor < to ? cursor : to)]];
  return row.and([lower, ...upper]);
}

function rangeOf(region: Region): { readonly from: string; readonly to: string | undefined } | undefined {
  switch (region.kind) {
    case "everything":
      return { from: "", to: undefined };
    case "within":
      return { from: region.uid, to: subtreeOf(region.uid).to };
    case "below":
      return subtreeOf(region.uid);
    case "roots":
    case "children":
    case "one":
      return undefined;
  }
}

function startOf(region: Region): string {
  return region.kind === "everything" || region.kind === "roots" ? "" : region.uid;
}

/** What is asked for, sorted by the database. */
function sortedRows(reader: Reader, query: PageQuery): Promise<PageRow[]> {
  const { regions, conditions, order, cursor, skip, limit } = query;
  return reader.query((db) =>
    selectRows(query, db)
      .where((row) => allOf(row, [inRegions(regions), ...conditions]))
      .$if(cursor !== undefined, (select) => select.where((row) => behind(row, order, cursor as Cursor)))
      .orderBy(order.column, order.direction)
      .$if(order.column !== "uid", (select) => select.orderBy("uid", "asc"))
      .limit(limit)
      .offset(skip),
  );
}

/** Rows after the cursor; ties of the sort column break by uid ascending. */
function behind(row: RowBuilder, { column, direction }: Order, { sort, uid }: Cursor) {
  const past = direction === "asc" ? ">" : "<";
  if (column === "uid") return row("uid", past, uid);
  return row.and([
    // Said twice for the index, which can use this and not the `or`.
    row(column, direction === "asc" ? ">=" : "<=", sort),
    row.or([row(column, past, sort), row.and([row(column, "=", sort), row("uid", ">", uid)])]),
  ]);
}

function selectRows({ table }: PageQuery, db: Parameters<Parameters<Reader["query"]>[0]>[0]) {
  return db.selectFrom(table).select(["uid", "parent", "name", "create_time", "update_time", "body"]);
}

export async function countRows(
  reader: Reader,
  table: ResourceTable,
  conditions: readonly Condition[],
): Promise<number> {
  const [row] = await reader.query((db) =>
    db
      .selectFrom(table)
      .select((all) => all.fn.countAll<number | string>().as("count"))
      .where((all) => allOf(all, conditions)),
  );
  return Number(row?.count ?? 0);
}
