import type { Setting } from "#src/commands/settings/settings.ts";
import { tableLines } from "./fitted-table.ts";
import { markdownList, markdownTable, markdownText } from "./markdown.ts";
import { type Note, noteText } from "./note.ts";
import { formatValue, type OutputFormat, outputSetting } from "./output-format.ts";
import { visibleLines, visibleText } from "./visible-text.ts";

/** The formats of `--output` of a command that prints an answer. */
export const answerFormats = ["table", "wide", "json", "yaml", "markdown"] as const satisfies readonly (
  | "wide"
  | OutputFormat
)[];

export type AnswerFormat = (typeof answerFormats)[number];

/** The setting `--output` of a command that prints an answer. */
export const answerOutput = (): Setting<AnswerFormat> => outputSetting(answerFormats, "table");

/** What people read of an answer. */
export interface AnswerText {
  /** One line. */
  readonly heading: string;
  readonly table: { readonly titles: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** What to know in addition: a paragraph each. */
  readonly notes: readonly Note[];
}

/**
 * An answer with a table: for programs as one value, for people with a heading and notes.
 * @param tableColumns the width that the format `table` is fitted to; undefined: it may have any
 */
export async function formatAnswer(
  format: AnswerFormat,
  value: object,
  text: AnswerText,
  tableColumns?: number,
): Promise<string> {
  if (format === "json" || format === "yaml") return formatValue(format, value, []);
  const { heading, notes, table } = text;
  const { rows, titles } = table;
  if (format === "markdown")
    return [
      `**${markdownText(heading)}**\n`,
      ...(rows.length === 0 ? [] : [markdownTable(titles, rows)]),
      ...(notes.length === 0 ? [] : [markdownList(notes)]),
    ].join("\n");
  const hasTitles = titles.some((title) => title !== "");
  const shown = [...(hasTitles ? [titles] : []), ...rows].map((row) => row.map(visibleText));
  return [
    `${visibleLines(heading)}\n`,
    ...(rows.length === 0 ? [] : [tableLines(shown, format === "wide" ? undefined : tableColumns)]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `${visibleLines(noteText(note))}\n`).join("")]),
  ].join("\n");
}
