import type { DescMessage } from "@bufbuild/protobuf";
import { fieldsOf } from "#src/platform/json/read-json.ts";

/**
 * The part of a body that a field mask selects. Fields outside the mask are ignored even if they are invalid, so they are
 * removed before the body is read.
 */
export function pruneToMask(desc: DescMessage, json: unknown, paths: readonly string[]): unknown {
  if (typeof json !== "object" || json === null || Array.isArray(json) || paths.includes("*")) return json;
  const pruned: [string, unknown][] = [];
  for (const [key, value] of Object.entries(json)) {
    const field = fieldsOf(desc).get(key);
    if (field === undefined) continue;
    const inner = paths
      .map((path) => path.split("."))
      .filter(([first]) => first === field.name || first === field.jsonName)
      .map(([, ...rest]) => rest.join("."));
    if (inner.includes("")) pruned.push([key, value]);
    else if (inner.length > 0 && field.fieldKind === "message")
      pruned.push([key, pruneToMask(field.message, value, inner)]);
  }
  return Object.fromEntries(pruned);
}
