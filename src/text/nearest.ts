/**
 * The candidate that was probably meant by a mistyped text: at most a third of its characters differ (an exchange of two
 * neighbours counts once), or exactly one candidate starts with the text. Undefined if none is near.
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(text.length / 3));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    // A longer text cannot be near, and comparing it would cost the product of both lengths.
    if (Math.abs(candidate.length - text.length) > limit) continue;
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  if (best !== undefined) return best.candidate;
  const [only, ...more] = text.length < 2 ? [] : candidates.filter((candidate) => candidate.startsWith(text));
  return more.length === 0 ? only : undefined;
}

/** `; did you mean "…"?`, to append to a message; empty if no candidate is near. */
export function didYouMean(text: string, candidates: readonly string[]): string {
  const found = nearest(text, candidates);
  return found === undefined ? "" : `; did you mean "${found}"?`;
}

/** Insertions, deletions, replacements and exchanges of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    const above = rows[row - 1] ?? [];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(above, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      let least = Math.min(at(above, column) + 1, at(current, column - 1) + 1, replaced);
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        least = Math.min(least, at(rows[row - 2] ?? [], column - 2) + 1);
      current.push(least);
    }
    rows.push(current);
  }
  return at(rows[from.length] ?? [], to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
