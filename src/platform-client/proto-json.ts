/**
 * Parses the JSON of a protobuf message. A field that is null has its default value, like one that is absent, so it is left out.
 * @throws {SyntaxError} if `text` is not JSON.
 */
export function parseProtoJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (text.includes("null")) removeNulls(parsed);
  return parsed;
}

/** Removes the fields that are null at every depth, without recursion: a response may be nested deeper than the stack. */
function removeNulls(root: unknown): void {
  const left = [root];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, field] of Object.entries(value)) {
      if (field !== null) left.push(field);
      else if (!Array.isArray(value)) delete (value as Record<string, unknown>)[key];
    }
  }
}
