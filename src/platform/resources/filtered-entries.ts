import type { DescMessage } from "@bufbuild/protobuf";
import type { Reader } from "../store/database.ts";
import type { Collection } from "./collection.ts";
import { comparisonOf, entriesIn } from "./many-regions.ts";
import { rowsOf } from "./ordered-walk.ts";
import type { Entry, PageQuery, PageRow } from "./page-query.ts";
import { regionCounts } from "./region-counts.ts";
import type { Condition } from "./row-condition.ts";

/** Rows in many regions that filters select. */
export interface FilteredRows extends Pick<PageQuery, "regions" | "order"> {
  /** The filters that an index serves. */
  readonly filters: readonly Condition[];
  /** Those that no index serves. */
  readonly scanned: readonly Condition[];
  /** The condition of the rows outside of the excluded partitions. */
  readonly partitionFilter: readonly Condition[];
  /** The partitions whose rows are not selected. */
  readonly excluded: readonly string[];
}

/**
 * All rows that the filters select in the regions. Only the regions are searched, and the rows of others, who can have any number of
 * equal ones, are not: the time would tell how many there are. Most of many regions are empty, which the maintained counts know.
 * @param most the rows that may be examined
 * @returns undefined if the filters with an index, or the regions without one, have more rows than that
 */
export async function filteredEntries<D extends DescMessage>(
  reader: Reader,
  collection: Collection<D>,
  { regions, filters, scanned, partitionFilter, excluded, order }: FilteredRows,
  most: number,
): Promise<Entry[] | undefined> {
  const { table } = collection.description;
  const counts = await regionCounts(reader, collection, regions, excluded);
  const filled = regions.filter((_, n) => (counts[n] ?? 0) > 0);
  const within = (conditions: readonly Condition[]) =>
    entriesIn(reader, filled, { table, conditions: [...conditions, ...partitionFilter], order }, most + 1);
  if (filters.length === 0) {
    if (counts.reduce((sum, count) => sum + count, 0) > most) return undefined;
    return within(scanned);
  }
  const candidates = await within(filters);
  if (candidates.length > most) return undefined;
  return scanned.length === 0 ? candidates : within([...filters, ...scanned]);
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
