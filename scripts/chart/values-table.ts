import type { JsonSchema } from "./json-schema.ts";

/** Where values that have a page of their own are described: a link in Markdown by the path of the map that contains them. */
export type DescribedElsewhere = Readonly<Record<string, string>>;

/**
 * The values as rows of a Markdown table: name, type, default and description. A map that is described elsewhere has one row, with the
 * names of its values.
 */
export function valuesTable(schema: JsonSchema, elsewhere: DescribedElsewhere): string {
  const rows = [...valueRows(schema, "", elsewhere)].map((cells) => `| ${cells.map(escaped).join(" | ")} |`);
  return ["| value | type | default | description |", "|---|---|---|---|", ...rows].join("\n");
}

function* valueRows(
  { properties = {} }: JsonSchema,
  prefix: string,
  elsewhere: DescribedElsewhere,
): Generator<readonly string[]> {
  for (const [name, value] of Object.entries(properties)) {
    const path = `${prefix}${name}`;
    const initial = value.default === undefined || value.default === null ? "" : `\`${JSON.stringify(value.default)}\``;
    const link = elsewhere[path];
    if (link !== undefined) {
      yield [
        `\`${path}\``,
        typeOf(value),
        initial,
        `${value.description ?? ""} ${link} describes them: ${namesIn(value)}.`,
      ];
      continue;
    }
    if (value.properties === undefined || value.default !== undefined)
      yield [`\`${path}\``, typeOf(value), initial, value.description ?? ""];
    yield* valueRows(value, `${path}.`, elsewhere);
    if (typeof value.additionalProperties === "object")
      yield* valueRows(value.additionalProperties, `${path}.NAME.`, elsewhere);
  }
}

/** The names of the values in a map, or in each entry of it. */
function namesIn({ properties, additionalProperties }: JsonSchema): string {
  const entry = typeof additionalProperties === "object" ? additionalProperties.properties : undefined;
  return Object.keys(properties ?? entry ?? {})
    .map((name) => `\`${name}\``)
    .join(", ");
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
