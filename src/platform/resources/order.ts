import { invalidArgument } from "../errors/api-error.ts";

export type SortColumn = "uid" | "name" | "create_time" | "update_time";

export interface Order {
  readonly column: SortColumn;
  readonly direction: "asc" | "desc";
}

/** What `order_by` may be called, beside `asc` and `desc` behind it. */
const columnOf: Readonly<Record<string, SortColumn>> = {
  uid: "uid",
  name: "name",
  created_at: "create_time",
  create_time: "create_time",
  updated_at: "update_time",
  update_time: "update_time",
};

/** What `order_by` looks like; a collection may lack some of the fields. */
export const orderPattern = new RegExp(`^(${Object.keys(columnOf).join("|")})(?: (asc|desc))?$`, "u");

/**
 * `field`, `field asc` or `field desc`; one field.
 * @param sortable what the resource has
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
