/** An object of JSON or YAML: a map of fields, neither null nor a list. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object: neither null, nor a list, nor a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
