import { invalidArgument } from "../errors/api-error.ts";

export type SortColumn = "uid" | "name" | "create_time" | "update_time";

export interface Order {
  readonly column: SortColumn;
  readonly direction: "asc" | "desc";
}

/** The columns by their names in `order_by`. */
const columnOf: Readonly<Record<string, SortColumn>> = {
  uid: "uid",
  name: "name",
  created_at: "create_time",
  create_time: "create_time",
  updated_at: "update_time",
  update_time: "update_time",
};

/** The syntax of `order_by`. A collection may support only some of the fields. */
export const orderPattern = new RegExp(`^(${Object.keys(columnOf).join("|")})(?: (asc|desc))?$`, "u");

/**
 * Parses `field`, `field asc` or `field desc`. Only one field is supported.
 * @param sortable the columns that the collection can be sorted by
 * @throws ApiError (3) on `order_by`
 */
export function readOrder(text: string, sortable: readonly SortColumn[], byDefault: Order): Order {
  if (text === "") return byDefault;
  const match = orderPattern.exec(text);
  const column = columnOf[match?.[1] ?? ""];
  if (match === null || column === undefined || !sortable.includes(column)) {
    const fields = Object.keys(columnOf).filter((name) => sortable.includes(columnOf[name] as SortColumn));
    throw invalidArgument("order_by", `must be one of ${fields.join(", ")}, optionally followed by asc or desc`);
  }
  return { column, direction: match[2] === "desc" ? "desc" : "asc" };
}
