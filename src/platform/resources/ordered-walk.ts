import { type Expression, type SqlBool, sql } from "kysely";
import type { Reader } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import type { Order } from "./order.ts";
import type { Entry, PageQuery, PageRow } from "./page-query.ts";
import { selectPageRows } from "./select-page-rows.ts";
import { allOf, type Condition, inRegions, inRegionsWithoutIndex, type RowBuilder } from "./row-condition.ts";

/**
 * Finds the rows of a page by walking the index on (column, uid) from the cursor on. Entries that are not selected are
 * skipped by their uids, without reading their rows.
 */
export async function walkInOrder(reader: Reader, query: PageQuery): Promise<PageRow[]> {
  const entries = query.order.direction === "asc" ? await ascending(reader, query) : await descending(reader, query);
  return rowsOf(reader, query.table, entries);
}

/** The rows of the entries, in their order. */
export async function rowsOf(reader: Reader, table: ResourceTable, entries: readonly Entry[]): Promise<PageRow[]> {
  const uids = entries.map(({ uid }) => uid);
  if (uids.length === 0) return [];
  const rows = await reader.query((db) => selectPageRows(db, table).where("uid", "in", uids));
  const bodies = new Map(rows.map(({ uid, body }) => [uid, body]));
  return entries.flatMap(({ uid, sort }) => {
    const body = bodies.get(uid);
    return body === undefined ? [] : [{ uid, sort, body }];
  });
}

function ascending(reader: Reader, query: PageQuery): Promise<Entry[]> {
  const { order, cursor, limit, skip } = query;
  return walk(reader, query, "asc", limit, skip, (row) =>
    cursor === undefined
      ? undefined
      : sql<SqlBool>`(${row.ref(order.column)}, ${row.ref("uid")}) > (${cursor.sort}, ${cursor.uid})`,
  );
}

/**
 * Walks from the greatest value down. Ties are still ordered by ascending uid, but the index yields them in descending
 * order. The walk therefore determines the values of the page, and the ties of its first and last value are queried
 * separately. For the same reason the skipped entries are read too.
 */
async function descending(reader: Reader, query: PageQuery): Promise<Entry[]> {
  const { order, cursor, skip } = query;
  const limit = query.limit + skip;
  const entries = cursor === undefined ? [] : await ties(reader, query, cursor.sort, cursor.uid, limit);
  const wanted = limit - entries.length;
  if (wanted === 0) return entries.slice(skip);
  const walked = await walk(reader, query, "desc", wanted, 0, (row) =>
    cursor === undefined ? undefined : row(order.column, "<", cursor.sort),
  );
  // There may be more entries with the last value than the walk has seen.
  const last = walked.length < wanted ? undefined : walked.at(-1)?.sort;
  const whole = walked.filter(({ sort }) => sort !== last);
  for (const entry of whole.toSorted((a, b) =>
    a.sort === b.sort ? (a.uid < b.uid ? -1 : 1) : a.sort > b.sort ? -1 : 1,
  ))
    entries.push(entry);
  if (last !== undefined)
    for (const entry of await ties(reader, query, last, "", wanted - whole.length)) entries.push(entry);
  return entries.slice(skip);
}

function walk(
  reader: Reader,
  { table, regions, conditions, order }: PageQuery,
  direction: Order["direction"],
  limit: number,
  skip: number,
  after: (row: RowBuilder) => Expression<SqlBool> | undefined,
): Promise<Entry[]> {
  return reader.query((db) =>
    entriesOf(db, table, order)
      .where((row) => {
        const rest = after(row);
        const selected = allOf(row, [...regionConditions(regions), ...conditions]);
        return rest === undefined ? selected : row.and([rest, selected]);
      })
      .orderBy(order.column, direction)
      .orderBy("uid", direction)
      .limit(limit)
      .offset(skip),
  );
}

/** The entries with the value and a greater uid. */
function ties(
  reader: Reader,
  { table, regions, conditions, order }: PageQuery,
  value: string | number,
  uid: string,
  limit: number,
): Promise<Entry[]> {
  return reader.query((db) =>
    entriesOf(db, table, order)
      .where((row) => row.and([row(order.column, "=", value), row("uid", ">", uid)]))
      .where((row) => allOf(row, [inRegions(regions), ...conditions]))
      .orderBy("uid")
      .limit(limit),
  );
}

function entriesOf(db: Parameters<Parameters<Reader["query"]>[0]>[0], table: ResourceTable, { column }: Order) {
  return db.selectFrom(table).select(["uid", `${column} as sort` as const]);
}

function regionConditions(regions: PageQuery["regions"]): Condition[] {
  return regions.some(({ kind }) => kind === "everything") ? [] : [inRegionsWithoutIndex(regions)];
}
