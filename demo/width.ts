import { stripVTControlCharacters } from "node:util";

const escape = "\u001b";

/** Cuts a line, which may be coloured, so that it takes at most `columns`. */
export function fit(line: string, columns: number): string {
  const tooLong = stripVTControlCharacters(line).length > columns;
  if (!tooLong) return line;
  let room = columns - 1;
  let cut = "";
  // Each part but the first begins with the rest of a sequence that sets a style and takes no room.
  for (const [index, part] of line.split(escape).entries()) {
    const style = index === 0 ? "" : escape + part.slice(0, part.indexOf("m") + 1);
    const text = index === 0 ? part : part.slice(part.indexOf("m") + 1);
    cut += style + text.slice(0, Math.max(room, 0));
    if (room >= 0 && text.length > room) cut += "…";
    room = text.length > room ? -1 : room - text.length;
  }
  return cut;
}

/** Not between a number and its unit. */
const gap = /\s+(?!m?s\b)/;
/** A mark before a text: what follows it is aligned with the text. */
const mark = /^[✓✗!$] /;

/** Breaks a text between words (anew, where it has lines already) into lines of at most `columns`; a longer word has a line of its own. */
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
