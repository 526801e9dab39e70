const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];

/**
 * Whether an object in a JSON text has two members of the same name. RFC 8259 leaves open which of them a reader keeps.
 * @param json the text, which is valid
 * @param parsed by `JSON.parse`, which keeps the last one: then there are fewer members than in the text
 */
export function hasRepeatedMembers(json: string, parsed: unknown): boolean {
  return membersInText(json) > membersOf(parsed);
}

/** Each member has one colon outside of texts. */
function membersInText(json: string): number {
  let members = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === quote) inText = !inText;
    else if (inText && unit === backslash) at += 1;
    else if (!inText && unit === colon) members += 1;
  }
  return members;
}

function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const values: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) members += values.length;
    for (const inner of values) if (typeof inner === "object" && inner !== null) open.push(inner);
  }
  return members;
}
