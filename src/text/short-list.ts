/** The first texts, each on a line of its own, and how many more there are. */
export function shortLines(texts: readonly string[], shown: number): string {
  const more = texts.length > shown ? [`and ${texts.length - shown} more`] : [];
  return [...texts.slice(0, shown), ...more].join("\n  ");
}

/**
 * The first texts, and how many more there are: `a, b and 3 more`.
 * @param shown how many are shown, at the most
 */
export function shortList(texts: readonly string[], shown = 5): string {
  const first = texts.slice(0, shown).join(", ");
  return texts.length > shown ? `${first} and ${texts.length - shown} more` : first;
}
