import type { Reader } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import { comparisonOf, fewRegions } from "./many-regions.ts";
import { rowsOf } from "./ordered-walk.ts";
import type { Entry, PageQuery, PageRow } from "./page-query.ts";
import type { Region } from "./region.ts";
import { RegionSet } from "./region-set.ts";
import { allOf, type Condition } from "./row-condition.ts";

/** The rows up to which all that a filter selects are read, whatever their region. */
const mostCandidates = 20_000;

/** Rows in many regions that filters select. */
export interface FilteredRows extends Pick<PageQuery, "table" | "regions" | "order"> {
  /** The filters that an index serves. */
  readonly filters: readonly Condition[];
  /** Those that no index serves. */
  readonly scanned: readonly Condition[];
}

/**
 * All rows that the filters select in the regions, by one or two queries: a query for each of 10,000 regions would take a second.
 * @returns undefined if one query can select the rows in all regions, if there is no filter with an index, or if such filters
 *   select too many rows of the whole table
 */
export async function filteredEntries(
  reader: Reader,
  { table, regions, filters, scanned, order }: FilteredRows,
): Promise<Entry[] | undefined> {
  if (regions.length <= fewRegions || filters.length === 0) return undefined;
  let candidates = await candidatesOf(reader, table, filters, order);
  // It examines only what the index selects.
  if (candidates !== undefined && scanned.length > 0)
    candidates = await candidatesOf(reader, table, [...filters, ...scanned], order);
  return candidates === undefined ? undefined : within(regions, candidates);
}

async function candidatesOf(
  reader: Reader,
  table: ResourceTable,
  conditions: readonly Condition[],
  { column }: PageQuery["order"],
): Promise<Entry[] | undefined> {
  const candidates = await reader.query((db) =>
    db
      .selectFrom(table)
      .select(["uid", `${column} as sort` as const])
      .where((row) => allOf(row, conditions))
      .limit(mostCandidates + 1),
  );
  return candidates.length > mostCandidates ? undefined : candidates;
}

function within(regions: readonly Region[], entries: readonly Entry[]): Entry[] {
  const set = new RegionSet(regions);
  return entries.filter(({ uid }) => set.has(uid));
}

/** The rows of a page of all selected entries. */
export function pageOfEntries(
  reader: Reader,
  entries: readonly Entry[],
  { table, order, cursor, skip, limit }: Pick<PageQuery, "table" | "order" | "cursor" | "skip" | "limit">,
): Promise<PageRow[]> {
  const compare = comparisonOf(order);
  const rest = cursor === undefined ? entries : entries.filter((entry) => compare(entry, cursor) > 0);
  return rowsOf(reader, table, rest.toSorted(compare).slice(skip, skip + limit));
}
