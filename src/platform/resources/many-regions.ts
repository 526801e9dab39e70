import type { Reader } from "../store/database.ts";
import { invalidArgument } from "../errors/api-error.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import type { Entry } from "./page-query.ts";
import type { Order } from "./order.ts";
import type { PageQuery } from "./page-query.ts";
import { ofEachPlace, placesOf } from "./each-place.ts";
import type { Region } from "./region.ts";
import { allOf, type Condition } from "./row-condition.ts";

/**
 * The regions up to which one query selects all of them. A database limits the depth of an expression, and plans a long one
 * slowly.
 */
export const fewRegions = 100;

/**
 * The entries of the rows in disjoint regions, a few regions at a time.
 * @param most further ones are not read
 */
export async function entriesIn(
  reader: Reader,
  regions: readonly Region[],
  { table, conditions, order }: Pick<PageQuery, "table" | "conditions" | "order">,
  most: number,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let start = 0; start < regions.length && entries.length < most; start += fewRegions) {
    const some = regions.slice(start, start + fewRegions);
    const found = await reader.query((db) =>
      ofEachPlace(placesOf(some), (inPlace) =>
        db
          .selectFrom(table)
          .select(["uid", `${order.column} as sort` as const])
          .where((row) => allOf(row, [inPlace, ...conditions])),
      ).limit(most - entries.length),
    );
    for (const entry of found) entries.push(entry);
  }
  return entries;
}

/**
 * The entries of a page of more regions than that, sorted here: first all entries of the regions.
 * @param after selects the entries after the cursor
 * @throws ApiError (3) if there are too many
 */
export async function entriesOfManyRegions(
  reader: Reader,
  { table, regions, conditions, order, counts, regionCounts, skip, limit }: PageQuery,
  after: Condition | undefined,
): Promise<Entry[]> {
  const most = sizeLimits.scan.value;
  if ((counts?.selected ?? 0) > most)
    throw invalidArgument(
      "order_by",
      `cannot sort more than ${most} resources in ${regions.length} parts of the tree; list one of them with uidp.descendants_of, or order by uid`,
    );
  const filled = regions.filter((_, n) => regionCounts === undefined || (regionCounts[n] ?? 0) > 0);
  const selected = { table, conditions: after === undefined ? conditions : [...conditions, after], order };
  const entries = await entriesIn(reader, filled, selected, Number.MAX_SAFE_INTEGER);
  return entries.toSorted(comparisonOf(order)).slice(skip, skip + limit);
}

/** The order of a page's entries. Ties are in ascending order of their uids, whatever the direction. */
export function comparisonOf({ direction }: Order): (a: Entry, b: Entry) => number {
  const sign = direction === "asc" ? 1 : -1;
  return (a, b) => {
    if (a.sort !== b.sort) return a.sort < b.sort ? -sign : sign;
    if (a.uid === b.uid) return 0;
    return a.uid < b.uid ? -1 : 1;
  };
}
