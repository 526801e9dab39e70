import type { SelectQueryBuilder } from "kysely";
import type { ResourceTable, Tables } from "../store/schema/tables.ts";
import type { Region } from "./region.ts";
import { type Condition, inRegions } from "./row-condition.ts";

type Select<O> = SelectQueryBuilder<Tables, ResourceTable, O>;

/** The places of regions: for each, whether a row is in it. */
export function placesOf(regions: readonly Region[]): readonly Condition[] {
  return regions.map((region) => inRegions([region]));
}

/**
 * Selects rows in each of some disjoint places, of which there is at least one, in one query. An index that serves a filter has the
 * entries of one range of uids together. Asked for several ranges at once, a database may read the entries between them, which are of
 * others, who can have any number of them, and the time would tell how many.
 * @param select the rows in one place
 */
export function ofEachPlace<O>(places: readonly Condition[], select: (inPlace: Condition) => Select<O>): Select<O> {
  return places.map(select).reduce((all, one) => all.unionAll(one));
}
