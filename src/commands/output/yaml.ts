import { Document, visit } from "yaml";
import { escapeInvisible } from "./visible-text.ts";

/**
 * A value as YAML that a terminal can show, without aliases, of which many readers accept only a few. Imported on demand, because
 * most commands print no YAML. The package itself is CommonJS, of which the bundle has no names.
 */
export function stringify(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    // Only quoted texts can have escapes.
    Scalar: (_, node) => {
      if (typeof node.value === "string" && escapeInvisible(node.value, () => "") !== node.value)
        node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeInvisible(document.toString(), (codePoint) => `\\U${codePoint.toString(16).padStart(8, "0")}`);
}
