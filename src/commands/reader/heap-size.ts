/** Of a text, without its characters; and of an object or a list, without its entries. */
const headerBytes = 24;
/** Of an entry of an object or a list; the names of fields are shared. */
const entryBytes = 8;

/** About how many bytes of memory a value takes that was parsed from JSON. It may be nested deeper than the stack. */
export function heapSize(root: unknown): number {
  let bytes = 0;
  const left = [root];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === "string") bytes += headerBytes + value.length;
    if (typeof value !== "object" || value === null) continue;
    const entries = Object.values(value);
    bytes += headerBytes + entryBytes * entries.length;
    for (const entry of entries) if (entry !== undefined) left.push(entry);
  }
  return bytes;
}
