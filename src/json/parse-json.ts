import { isJsonObject, type JsonObject } from "./json-object.ts";

/** @returns undefined if the text is not JSON, of which no value is undefined */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of the parser repeats a part of the text, which may be a secret.
    return undefined;
  }
}

/** @returns undefined if the text is not JSON, or not an object */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
