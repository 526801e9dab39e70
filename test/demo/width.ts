import { stripVTControlCharacters } from "node:util";

/** Cuts a line, which may be coloured, so that it takes at most `columns`. */
export function fit(line: string, columns: number): string {
  if (stripVTControlCharacters(line).length <= columns) return line;
  let room = Math.max(columns - 1, 0);
  let cut = "";
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith("\u001b")) {
      cut += part;
      continue;
    }
    cut += room > 0 && part.length > room ? `${part.slice(0, room)}…` : part.slice(0, room);
    room -= Math.min(part.length, room);
  }
  return cut;
}

/** Breaks a text between words into lines of at most `columns`; a longer word has a line of its own. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line === "") line = word;
    else if (line.length + 1 + word.length <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
