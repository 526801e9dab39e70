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
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === quote) at = endOfText(json, at);
    else if (unit === colon) members += 1;
  }
  return members;
}

/** Where the text ends that begins at `start`. Most of a large body is in texts, which this searches and does not walk. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = end;
    while (json.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return json.length;
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
