import type { Settings } from "#src/commands/settings/settings.ts";
import type { JsonSchema } from "./json-schema.ts";

const one: JsonSchema = { type: ["string", "integer", "boolean"] };
const many: JsonSchema = { type: ["string", "array"], items: { type: "string" } };

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
      .map(([key, { help, repeatable }]) => [key, { ...(repeatable ? many : one), description: help }]),
  );
  return { type: "object", description, default: {}, additionalProperties: false, properties };
}
