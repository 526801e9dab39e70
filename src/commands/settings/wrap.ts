/**
 * Wraps a text between words into lines of at most `columns` columns, each indented by `indent`. Line breaks in the text stay.
 * A longer word gets its own line.
 */
export function wrap(text: string, columns: number, indent = ""): string {
  return text
    .split("\n")
    .flatMap((paragraph) => linesOf(paragraph.split(" "), Math.max(columns - indent.length, 20)))
    .map((line) => (line === "" ? "" : indent + line))
    .join("\n");
}

function linesOf(words: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of words) {
    if (line === undefined) line = word;
    else if (line.length + 1 + word.length <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === undefined ? lines : [...lines, line];
}
