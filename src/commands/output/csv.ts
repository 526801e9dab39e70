import { visibleText } from "./visible-text.ts";

/**
 * A table for spreadsheets (RFC 4180). It begins with a byte order mark, without which Excel does not read UTF-8, and no cell
 * is a formula, whichever separator the spreadsheet expects.
 */
export function csvTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return `\ufeff${[titles, ...rows].map(csvRow).join("")}`;
}

function csvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${inert(visibleCell(cell)).replaceAll('"', '""')}"`).join(",")}\r\n`;
}

/**
 * Spreadsheets evaluate a cell that begins with one of these characters, also in their full-width forms and after white space.
 * Where the separator of a list is a semicolon, they begin a cell there, in spite of the quotes around all of it.
 */
const formulaStart = /(^|[;\n\r])(\s*)(?=[=+\-@\t\r＝＋－＠])/g;

/** White space stays: it is quoted, and spreadsheets show it. */
function visibleCell(text: string): string {
  return text.replace(/[^ \t\r\n]+/g, visibleText);
}

/** The text with an apostrophe before what a spreadsheet would evaluate: it then shows the text. */
function inert(text: string): string {
  return text.replace(formulaStart, "$1'$2");
}
