import type { JsonSchema } from "./json-schema.ts";

/** The values as rows of a Markdown table: name, type, default and description. */
export function valuesTable(schema: JsonSchema): string {
  const rows = [...valueRows(schema, "")].map((cells) => `| ${cells.map(escaped).join(" | ")} |`);
  return ["| value | type | default | description |", "|---|---|---|---|", ...rows].join("\n");
}

function* valueRows({ properties = {} }: JsonSchema, prefix: string): Generator<readonly string[]> {
  for (const [name, value] of Object.entries(properties)) {
    const path = `${prefix}${name}`;
    const initial = value.default === undefined || value.default === null ? "" : `\`${JSON.stringify(value.default)}\``;
    if (value.properties === undefined || value.default !== undefined)
      yield [`\`${path}\``, typeOf(value), initial, value.description ?? ""];
    yield* valueRows(value, `${path}.`);
    if (typeof value.additionalProperties === "object") yield* valueRows(value.additionalProperties, `${path}.NAME.`);
  }
}

function typeOf({ title, type = "any", items, additionalProperties, enum: choices }: JsonSchema): string {
  if (title !== undefined) return title;
  if (choices !== undefined) return choices.map((choice) => `\`${JSON.stringify(choice)}\``).join(", ");
  if (type === "array") return `list of ${typeOf(items ?? {})}`;
  if (type === "object" && additionalProperties) return `map of ${typeOf(additionalProperties)}`;
  return typeof type === "string" ? type : type.filter((one) => one !== "null").join(" or ");
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("\n", " ");
}
