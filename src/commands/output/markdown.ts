import type { Note } from "./note.ts";
import { visibleText } from "./visible-text.ts";

/** A table of GitHub Flavored Markdown. Its cells are texts, in which no character has a meaning for Markdown or HTML. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownRow(titles) + `|${titles.map(() => " --- |").join("")}\n` + rows.map(markdownRow).join("");
}

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map(markdownText).join(" | ")} |\n`;
}

/** A text as Markdown that shows it: on one line, and without links, tags and mentions. */
export function markdownText(text: string): string {
  return visibleText(text.replace(/\s+/g, " "))
    .replace(/[&<>]/g, (character) => entities[character] ?? character)
    .replace(/[\\`*_~[\]|!]/g, "\\$&")
    .replace(/:\/\//g, "\\://")
    .replace(/[@#]|\bGH-|\bwww(?=\.)/gi, `$&${wordJoiner}`);
}

/** A text as code on one line, which people copy as it is. */
export function markdownCode(text: string): string {
  const line = visibleText(text.replace(/\s+/g, " "));
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  // Without the spaces, backticks at the ends would belong to the fences.
  return `${fence} ${line} ${fence}`;
}

/** Notes as a list, with commands as code. Empty if there are none. */
export function markdownList(notes: readonly Note[]): string {
  return notes
    .map((note) =>
      typeof note === "string" ? markdownText(note) : `${markdownText(note.text)} ${markdownCode(note.command)}`,
    )
    .map((item) => `- ${item}\n`)
    .join("");
}

/** Not visible. GitHub looks for mentions and numbers after it has read the Markdown, so that a backslash does not prevent them. */
const wordJoiner = "\u2060";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
