import { styleText } from "node:util";
import type { Terminal } from "#src/commands/command.ts";
import { wrap } from "#src/commands/settings/settings.ts";

/** A heading of a help text. */
export function heading(text: string, { colors }: Terminal): string {
  return colors ? styleText("bold", text, { validateStream: false }) : text;
}

/** Rows of two columns, the second wrapped to the terminal's width. */
export function twoColumns(rows: readonly (readonly [name: string, text: string])[], terminal: Terminal): string {
  const indent = Math.max(...rows.map(([name]) => name.length)) + 4;
  return rows
    .map(([name, text]) => {
      const wrapped = wrap(text, terminal.columns, " ".repeat(indent));
      return `  ${name}`.padEnd(indent) + wrapped.slice(indent);
    })
    .join("\n");
}
