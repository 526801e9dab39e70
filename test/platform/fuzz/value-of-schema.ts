import type { ApiDocument, Schema } from "./api-document.ts";
import type { Random } from "./random.ts";
import { textOfPattern } from "./text-of-pattern.ts";

/** Times are drawn around this one, so that a seed draws the same times for the whole run. */
const startedAt = Date.now();

/** Values that a schema alone cannot give: uids of existing resources, keys, patterns. */
export interface Hints {
  /** @returns undefined if the schema suffices */
  readonly text: (field: string, schema: Schema, random: Random) => string | undefined;
}

/** A value that matches the schema of a request. Most output-only fields are omitted. */
export function valueOfSchema(
  document: ApiDocument,
  given: Schema,
  random: Random,
  hints: Hints,
  field = "",
  depth = 0,
): unknown {
  const schema = document.resolve(given);
  const inner = (one: Schema, name: string) => valueOfSchema(document, one, random, hints, name, depth + 1);
  if (schema.enum !== undefined) return random.pick(schema.enum);
  // Null, where it is allowed, stands for the default.
  const type =
    typeof schema.type === "object"
      ? random.weighted([
          [9, schema.type[0]],
          [1, "null"],
        ])
      : schema.type;
  switch (type ?? "string") {
    case "null":
      return null;
    case "boolean":
      return random.chance(0.5);
    case "integer":
      return integer(schema, random);
    case "array":
      return Array.from(
        {
          length: random.weighted([
            [1, 0],
            [5, 1],
            [2, 2],
            [1, 5],
          ]),
        },
        () => inner(schema.items ?? {}, field),
      );
    case "object": {
      const entries = chosenProperties(schema, random, depth).map(
        ([name, property]) => [name, inner(property, name)] as const,
      );
      const { additionalProperties } = schema;
      if (typeof additionalProperties === "object" && random.chance(0.7))
        entries.push([mapKey(random), inner(additionalProperties, field)]);
      return Object.fromEntries(entries);
    }
    default:
      return text(schema, random, hints, field);
  }
}

/** The required properties, some optional ones, and at most one of properties that exclude each other. */
function chosenProperties(schema: Schema, random: Random, depth: number): [string, Schema][] {
  const pairs = schema.not?.anyOf?.map(({ required = [] }) => required) ?? [];
  const excluded = new Set<string>();
  const chosen: [string, Schema][] = [];
  // In random order: each member of a oneof must be drawn sometimes.
  const properties = random.shuffled(Object.entries(schema.properties ?? {}));
  for (const [name, property] of properties) {
    if (excluded.has(name)) continue;
    const alternatives = pairs.filter((pair) => pair.includes(name)).flat();
    const share =
      alternatives.length > 0
        ? 0.9
        : property.readOnly === true
          ? 0.05
          : name === "oidc"
            ? 0.95
            : depth > 4
              ? 0.3
              : depth === 0
                ? 0.6
                : 0.8;
    if (schema.required?.includes(name) !== true && !random.chance(share)) continue;
    for (const alternative of alternatives) excluded.add(alternative);
    chosen.push([name, property]);
  }
  return chosen;
}

function integer({ minimum = -(2 ** 31) }: Schema, random: Random): number {
  return random.weighted([
    [4, random.int(Math.max(minimum, 0), 10)],
    [1, Math.max(minimum, 0)],
    [1, random.int(Math.max(minimum, 0), 300)],
    [0.2, 2 ** 31 - 1],
    [0.2, minimum],
  ]);
}

/** Digits, which are a valid key both of maps from numbers and of maps from names. */
function mapKey(random: Random): string {
  return String(random.int(1, 99_999));
}

function text(schema: Schema, random: Random, hints: Hints, field: string): string {
  const hinted = hints.text(field, schema, random);
  if (hinted !== undefined) return hinted;
  if (schema.format === "date-time") return new Date(startedAt + random.int(-400, 364) * 86_400_000).toISOString();
  const { pattern = "^[\\S ]{0,20}$", maxLength } = schema;
  const drawn = textOfPattern(pattern, random);
  return maxLength === undefined || drawn.length <= maxLength
    ? drawn
    : textOfPattern(pattern, random).slice(0, maxLength);
}
