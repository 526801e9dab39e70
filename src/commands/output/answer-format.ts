import { markdownList, markdownTable, markdownText } from "./markdown.ts";
import { type Note, noteText } from "./note.ts";
import { formatValue, type OutputFormat } from "./output-format.ts";
import { visibleLines, visibleText } from "./visible-text.ts";

/** What people read of an answer. */
export interface AnswerText {
  /** One line. */
  readonly heading: string;
  readonly table: { readonly titles: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** What to know in addition: a paragraph each. */
  readonly notes: readonly Note[];
}

/** An answer with a table: for programs as one value, for people with a heading and notes. */
export async function formatAnswer(format: OutputFormat, value: object, text: AnswerText): Promise<string> {
  if (format === "json" || format === "yaml") return formatValue(format, value, []);
  const { heading, notes, table } = text;
  const { rows, titles } = table;
  if (format === "markdown")
    return [
      `**${markdownText(heading)}**\n`,
      ...(rows.length === 0 ? [] : [markdownTable(titles, rows)]),
      ...(notes.length === 0 ? [] : [markdownList(notes)]),
    ].join("\n");
  return [
    `${visibleLines(heading)}\n`,
    ...(rows.length === 0 ? [] : [alignedRows([...(titles.some((title) => title !== "") ? [titles] : []), ...rows])]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `${visibleLines(noteText(note))}\n`).join("")]),
  ].join("\n");
}

function alignedRows(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(visibleText));
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
