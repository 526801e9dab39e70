import { invalidArgument } from "../errors/api-error.ts";
import type { ResourceTable, Tables } from "../store/schema/tables.ts";
import type { Condition } from "./row-condition.ts";

/** More would only be a way to make a query that no store takes. */
const maximumValues = 500;

type ColumnOf<T> = T extends unknown ? keyof T & string : never;

/** The values of a filter, each once. @throws ApiError (3) on `field` where they are too many */
export function filterValues(field: string, values: readonly string[]): string[] {
  const distinct = [...new Set(values)];
  if (distinct.length > maximumValues) throw invalidArgument(field, `must have at most ${maximumValues} values`);
  return distinct;
}

/** Rows whose column is one of the values; no values are no filter. @throws ApiError (3) on `field` */
export function isOneOf(
  column: ColumnOf<Tables[ResourceTable]>,
  values: readonly string[],
  field: string = column,
): Condition[] {
  if (values.length === 0) return [];
  const wanted = filterValues(field, values);
  return [(row) => row(column, "in", wanted as never)];
}
