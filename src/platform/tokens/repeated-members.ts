/** A string, which is the name of a member if a colon follows, or the beginning or the end of an object. */
const nameOrBrace = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/gs;

/**
 * Whether an object in a JSON text has two members of the same name. Which of them counts differs between parsers.
 * @param json a valid JSON text
 */
export function hasRepeatedMember(json: string): boolean {
  const open: Set<unknown>[] = [];
  for (const [token, name, colon] of json.matchAll(nameOrBrace)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (name !== undefined && colon !== undefined) {
      const names = open.at(-1);
      const decoded: unknown = JSON.parse(name);
      if (names?.has(decoded) === true) return true;
      names?.add(decoded);
    }
  }
  return false;
}
