import { sql } from "kysely";
import { subtreeOf } from "../contract/uid.ts";
import type { Reader } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import type { Order } from "./order.ts";
import { ofEachPlace, placesOf } from "./each-place.ts";
import { entriesOfManyRegions, fewRegions } from "./many-regions.ts";
import { rowsOf, walkInOrder } from "./ordered-walk.ts";
import type { PageQuery, PageRow } from "./page-query.ts";
import type { Cursor } from "./page-token.ts";
import type { Region } from "./region.ts";
import { allOf, type Condition, inRegions, type RowBuilder } from "./row-condition.ts";
import { selectPageRows } from "./select-page-rows.ts";

/** The cost of reading and sorting a row, relative to that of looking at an index entry. */
const rowPerEntry = 4;

/**
 * Returns the rows of a page, in order. No single query plan is fast for every page of a tree, so there are three: by uid,
 * one key range after the other; by another column along its index, if a large share of the table is selected; otherwise
 * reading and sorting the selected rows. The maintained counts decide between the latter two: in a table of a million rows,
 * neither examines more than about 30,000.
 */
export async function pageRows(reader: Reader, query: PageQuery): Promise<PageRow[]> {
  if (query.order.column === "uid" && areRanges(query.regions)) return rowsByUid(reader, query);
  if (query.regions.length > fewRegions) return rowsOfManyRegions(reader, query);
  return shouldWalk(query) ? walkInOrder(reader, query) : sortedRows(reader, query);
}

function shouldWalk({ order, counts, limit, skip }: PageQuery): boolean {
  if (order.column === "uid" || counts === undefined || counts.selected === 0) return false;
  return ((limit + skip) * counts.table) / counts.selected < counts.selected * rowPerEntry;
}

function rowsOfManyRegions(reader: Reader, query: PageQuery): Promise<PageRow[]> {
  const { table, order, cursor } = query;
  const isAfter = cursor === undefined ? undefined : (row: RowBuilder) => after(row, order, cursor);
  return entriesOfManyRegions(reader, query, isAfter).then((entries) => rowsOf(reader, table, entries));
}

/** Whether each region is one range of uids. */
function areRanges(regions: readonly Region[]): boolean {
  return regions.length === 1 || regions.every(({ kind }) => kind !== "children" && kind !== "roots");
}

async function rowsByUid(reader: Reader, query: PageQuery): Promise<PageRow[]> {
  const { table, regions, regionCounts, conditions, order, cursor } = query;
  const sign = order.direction === "asc" ? 1 : -1;
  const inOrder = regions
    .map((region, n) => ({ region, start: startOf(region), count: regionCounts?.[n] }))
    .toSorted((a, b) => (a.start < b.start ? -sign : sign));
  const rows: PageRow[] = [];
  let { skip } = query;
  for (const { region, start, count } of inOrder) {
    const limit = query.limit - rows.length;
    if (limit === 0) break;
    if (count === 0) continue;
    // Without a cursor in it, the number of its rows is known before they are read.
    if (cursor === undefined && count !== undefined && skip >= count) {
      skip -= count;
      continue;
    }
    if (isBeforeCursor(region, start, query)) continue;
    const place: Condition = (row) => inRange(row, region, order, cursor?.uid);
    const found = await reader.query((db) =>
      selectPageRows(db, table)
        .where((row) => allOf(row, [place, ...conditions]))
        .orderBy("uid", order.direction)
        .limit(limit)
        .offset(skip),
    );
    for (const { uid, body } of found) rows.push({ uid, sort: uid, body });
    // The whole region is skipped, and possibly rows of the next one.
    if (found.length === 0 && skip > 0) skip -= await countRows(reader, table, [place], conditions, skip);
    else skip = 0;
  }
  return rows;
}

/** Whether the cursor is after all rows of the region, in the direction of the order. */
function isBeforeCursor(region: Region, start: string, { order, cursor }: PageQuery): boolean {
  if (cursor === undefined) return false;
  if (order.direction === "desc") return start >= cursor.uid;
  const to = region.kind === "resource" ? region.uid : rangeOf(region)?.to;
  return to !== undefined && to <= cursor.uid;
}

/** The part of the region after the cursor. It has a single lower bound, because a database may use the wrong one of two. */
function inRange(row: RowBuilder, region: Region, { direction }: Order, cursor: string | undefined) {
  const range = rangeOf(region);
  if (cursor === undefined) return inRegions([region])(row);
  if (range === undefined)
    return row.and([inRegions([region])(row), row("uid", direction === "asc" ? ">" : "<", cursor)]);
  const { from, to } = range;
  const place = region.kind === "children" ? [row("parent", "=", region.uid)] : [];
  const [lower, upper] =
    direction === "asc"
      ? [
          cursor < from ? row("uid", ">=", from) : row("uid", ">", cursor),
          to === undefined ? [] : [row("uid", "<", to)],
        ]
      : [row("uid", ">=", from), [row("uid", "<", to === undefined || cursor < to ? cursor : to)]];
  return row.and([...place, lower, ...upper]);
}

function rangeOf(region: Region): { readonly from: string; readonly to: string | undefined } | undefined {
  switch (region.kind) {
    case "everything":
      return { from: "", to: undefined };
    case "subtree":
      return { from: region.uid, to: subtreeOf(region.uid).to };
    case "descendants":
    case "children":
      return subtreeOf(region.uid);
    case "roots":
    case "resource":
      return undefined;
  }
}

function startOf(region: Region): string {
  return region.kind === "everything" || region.kind === "roots" ? "" : region.uid;
}

/** The selected rows, sorted by the database. */
function sortedRows(reader: Reader, query: PageQuery): Promise<PageRow[]> {
  const { table, regions, conditions, order, cursor, skip, limit } = query;
  return reader.query((db) =>
    db
      .selectFrom(
        ofEachPlace(placesOf(regions), (inPlace) =>
          selectPageRows(db, table)
            .select(`${order.column} as sort` as const)
            .where((row) => allOf(row, [inPlace, ...conditions]))
            .$if(cursor !== undefined, (select) => select.where((row) => after(row, order, cursor as Cursor))),
        ).as("selected"),
      )
      .selectAll()
      .orderBy("sort", order.direction)
      .$if(order.column !== "uid", (select) => select.orderBy("uid", "asc"))
      .limit(limit)
      .offset(skip),
  );
}

/** Rows after the cursor. Ties of the sort column are ordered by ascending uid. */
function after(row: RowBuilder, { column, direction }: Order, { sort, uid }: Cursor) {
  const past = direction === "asc" ? ">" : "<";
  if (column === "uid") return row("uid", past, uid);
  return row.and([
    // Redundant, but the index can use this condition and not the `or`.
    row(column, direction === "asc" ? ">=" : "<=", sort),
    row.or([row(column, past, sort), row.and([row(column, "=", sort), row("uid", ">", uid)])]),
  ]);
}

/** The number of rows in disjoint places, at most `limit`, beyond which they are not counted. */
export async function countRows(
  reader: Reader,
  table: ResourceTable,
  places: readonly Condition[],
  conditions: readonly Condition[],
  limit: number,
): Promise<number> {
  const [row] = await reader.query((db) =>
    db
      .selectFrom(
        db
          .selectFrom(
            ofEachPlace(places, (inPlace) =>
              db
                .selectFrom(table)
                .select(sql.lit(1).as("one"))
                .where((all) => allOf(all, [inPlace, ...conditions])),
            ).as("selected"),
          )
          .select("one")
          .limit(limit)
          .as("found"),
      )
      .select((all) => all.fn.countAll<number | string>().as("count")),
  );
  return Number(row?.count ?? 0);
}
