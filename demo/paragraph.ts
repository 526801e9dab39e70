import { styleText } from "node:util";
import type { Paragraph, Style } from "./screen.ts";
import { wrap } from "./width.ts";

/** Applies styles if the stream is a terminal that supports them and NO_COLOR is not set. */
export const painter =
  (stream: NodeJS.WriteStream) =>
  (style: Style, text: string): string =>
    styleText(style, text, { stream, validateStream: true });

/** The lines of a paragraph of at most `columns` columns. A leading ✓ is green. */
export function paragraphLines(
  text: string,
  columns: number,
  paint: (style: Style, text: string) => string,
  { style, indent = 2 }: Paragraph = {},
): string[] {
  const paintLine = (line: string) => {
    if (style !== undefined) return paint(style, line);
    return line.startsWith("✓") ? `${paint("green", "✓")}${line.slice(1)}` : line;
  };
  return wrap(text, columns - indent).map((line) => " ".repeat(indent) + paintLine(line));
}
