/** A table of GitHub Flavored Markdown. Its cells are texts, in which no character has a meaning for Markdown or HTML. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownRow(titles) + `|${titles.map(() => " --- |").join("")}\n` + rows.map(markdownRow).join("");
}

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map(markdownText).join(" | ")} |\n`;
}

/** A text as Markdown that shows it: on one line, and without links, tags and mentions. */
export function markdownText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[&<>]/g, (character) => entities[character] ?? character)
    .replace(/[\\`*_~[\]|!]/g, "\\$&")
    .replace(/:\/\//g, "\\://")
    .replace(/[@#]|\bGH-|\bwww(?=\.)/gi, `$&${wordJoiner}`);
}

/** Not visible. GitHub looks for mentions and numbers after it has read the Markdown, so that a backslash does not prevent them. */
const wordJoiner = "\u2060";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
