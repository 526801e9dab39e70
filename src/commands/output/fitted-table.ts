/** Between two columns. */
const gap = "  ";
/** No column is made narrower to fit a table into a terminal. */
const narrowest = 12;
/** A uid of the platform: the one of a root group, and one segment for each resource down to this one. */
const uid = /\b[0-9a-f]{40}(?:\/[0-9a-f]{16})*(?![0-9a-f])/g;
const shortRoot = 12;
/** A cell that is the path of a group or an identity, whose names may have spaces, or a Kubernetes object; perhaps with a remark. */
const path = /^[^/:…]+(?:\/[^/:]+?)+(?= \(|$)/;
const time = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g;

/**
 * The lines of a table whose first row has the titles. Rows that are wider than `columns` are fitted: first uids and paths are
 * shortened to what distinguishes them in this table, and times to seconds; then the widest cells are wrapped. A table with more
 * columns than fit stays wider.
 * @param columns undefined: nothing is fitted
 */
export function tableLines(rows: readonly (readonly string[])[], columns: number | undefined): string {
  const natural = columnWidths(rows);
  if (columns === undefined || totalOf(natural) <= columns) return aligned(rows, natural);
  const short = shortened(rows);
  const widths = fitted(short, columns);
  return short.map((row) => aligned(wrapped(row, widths), widths)).join("");
}

function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  return (rows[0] ?? []).map((_, column) => rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0));
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
}

function aligned(rows: readonly (readonly string[])[], widths: readonly number[]): string {
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join(gap)
          .trimEnd()}\n`,
    )
    .join("");
}

function shortened(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const [titles = [], ...cells] = rows.map((row) => row.map(withShortIds));
  const paths = new Set(cells.flatMap((row) => row.flatMap((cell) => path.exec(cell)?.[0] ?? [])));
  const shares = new Map<string, number>();
  for (const end of paths.values().flatMap(endsOf)) shares.set(end, (shares.get(end) ?? 0) + 1);
  const shortPath = (whole: string): string => {
    const end = endsOf(whole).find((one) => shares.get(one) === 1) ?? whole;
    return end === whole ? whole : `…/${end}`;
  };
  return [titles, ...cells.map((row) => row.map((cell) => cell.replace(path, shortPath)))];
}

/** The ends of a path that have at least two names, the shortest first; the last is the whole path. */
function endsOf(whole: string): readonly string[] {
  const names = whole.split("/");
  return names.slice(1).map((_, index) => names.slice(-index - 2).join("/"));
}

/** With short uids, and times that can be wrapped. A uid's last segment is random, and therefore says which one it is. */
function withShortIds(cell: string): string {
  return cell.replace(time, "$1 $2Z").replace(uid, (whole) => {
    const last = whole.lastIndexOf("/");
    return last === -1 ? `${whole.slice(0, shortRoot)}…` : `…${whole.slice(last)}`;
  });
}

/** The widths of the columns after the widest ones gave way, until all fit or none can: no word is broken while spaces will do. */
function fitted(rows: readonly (readonly string[])[], columns: number): readonly number[] {
  const words = columnWidths(rows.map((row) => row.map(longestWord)));
  const unbroken = narrowed(columnWidths(rows), words, columns);
  return narrowed(unbroken, [], columns);
}

function longestWord(cell: string): string {
  return cell.split(" ").reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** One column after the other, the widest first, so that few become hard to read. @param least how narrow each may become */
function narrowed(natural: readonly number[], least: readonly number[], columns: number): readonly number[] {
  const widths = [...natural];
  for (const [column, width] of [...natural.entries()].toSorted(([, one], [, other]) => other - one)) {
    const excess = Math.max(0, totalOf(widths) - columns);
    widths[column] = Math.min(width, Math.max(width - excess, least[column] ?? 0, narrowest));
  }
  return widths;
}

/** The lines of one row. */
function wrapped(row: readonly string[], widths: readonly number[]): readonly (readonly string[])[] {
  const cells = row.map((cell, column) => linesOf(cell, widths[column] ?? cell.length));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ""));
}

/** Breaks between words; a word that is longer than a line, anywhere. */
function linesOf(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length <= width) {
      line += ` ${word}`;
      continue;
    }
    if (line !== "") lines.push(line);
    for (; word.length > width; word = word.slice(width)) lines.push(word.slice(0, width));
    line = word;
  }
  return [...lines, line];
}
