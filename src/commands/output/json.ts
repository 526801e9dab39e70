import { escapeInvisible } from "./visible-text.ts";

/**
 * A value as JSON that a terminal can show: characters that are not visible are escaped, in texts as in names of fields.
 * @param indent the spaces before each level; 0 for one line
 */
export function jsonText(value: unknown, indent = 0): string {
  return escapeInvisible(JSON.stringify(value, undefined, indent), (codePoint) =>
    // JSON escapes the two halves of a character beyond 16 bits.
    String.fromCodePoint(codePoint)
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
