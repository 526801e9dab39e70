import type { Setting, Settings } from "#src/commands/settings/settings.ts";
import type { JsonSchema } from "./json-schema.ts";

function schemaOf({ repeatable, pattern }: Setting<unknown>): JsonSchema {
  const text: JsonSchema = { type: "string", ...(pattern === undefined ? {} : { pattern: pattern.source }) };
  // One text can contain several values.
  if (repeatable) return { type: ["string", "array"], items: text };
  return pattern === undefined ? { type: ["string", "integer", "boolean"] } : text;
}

/**
 * The settings of a command as a map: each setting by its key, with one value or, if it can be repeated, a list.
 * @param reserved the settings that the chart itself gives to the container
 */
export function settingsSchema<S extends Settings>(
  description: string,
  settings: S,
  reserved: readonly (keyof S & string)[],
): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(settings)
      .filter(([key]) => !reserved.includes(key))
      .map(([key, setting]) => [key, { ...schemaOf(setting), description: setting.help }]),
  );
  return { type: "object", description, default: {}, additionalProperties: false, properties };
}
