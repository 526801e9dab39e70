import { stripVTControlCharacters } from "node:util";

const escape = "\u001b";

/** Cuts a line, which may contain styles, to at most `columns` columns. */
export function fit(line: string, columns: number): string {
  const tooLong = stripVTControlCharacters(line).length > columns;
  if (!tooLong) return line;
  let remaining = columns - 1;
  let cut = "";
  // Each part but the first starts with the rest of an escape sequence, which has no width.
  for (const [index, part] of line.split(escape).entries()) {
    const style = index === 0 ? "" : escape + part.slice(0, part.indexOf("m") + 1);
    const text = index === 0 ? part : part.slice(part.indexOf("m") + 1);
    cut += style + text.slice(0, Math.max(remaining, 0));
    if (remaining >= 0 && text.length > remaining) cut += "…";
    remaining = text.length > remaining ? -1 : remaining - text.length;
  }
  return cut;
}

/** A place for a line break: white space, but not between a number and its unit. */
const gap = /\s+(?!m?s\b)/;
/** A mark at the start of a text. Its following lines are indented by the width of the mark. */
const mark = /^[✓✗!$] /;

/**
 * Wraps a text between words into lines of at most `columns` columns. Existing line breaks are removed. A longer word
 * gets its own line.
 */
export function wrap(text: string, columns: number): string[] {
  const hanging = mark.test(text) ? "  " : "";
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(gap)) {
    if (line === "") line = word;
    else if (line.length + 1 + word.length <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = hanging + word;
    }
  }
  return [...lines, line];
}
