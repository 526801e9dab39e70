/** The number of texts that are remembered at most. A text that is not remembered is merely not shared. */
const maxTexts = 4096;

/** Longer texts, in UTF-16 code units, are hardly ever equal. */
const maxLength = 256;

const texts = new Map<string, string>();

/**
 * Replaces each string in `value`, which is plain JSON data, by an equal one that was seen before, so that the process
 * keeps one copy of what thousands of objects have in common: uids, reasons, messages, issuers. JSON.parse makes a new
 * copy for each. Frozen parts are taken to be shared already. @returns `value`
 */
export function shareTexts<V>(value: V): V {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  const parts = value as Record<string, unknown>;
  for (const name of Object.keys(parts)) {
    const part = parts[name];
    if (typeof part === "string") parts[name] = shared(part);
    else shareTexts(part);
  }
  return value;
}

function shared(text: string): string {
  if (text.length > maxLength) return text;
  const known = texts.get(text);
  if (known !== undefined) return known;
  // Texts in common use return at once; which of the others to forget is not worth knowing.
  if (texts.size >= maxTexts) texts.clear();
  texts.set(text, text);
  return text;
}
