import type { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

/** The output of the demo: a terminal with live regions, or a pipe with plain lines. */
export interface Screen {
  /** The current width. */
  readonly columns: number;
  /** The text in a style, if the screen supports styles. */
  paint(style: Style, text: string): string;
  /** Prints a paragraph, wrapped between words. */
  say(text: string, paragraph?: Paragraph): void;
  /** Prints lines, cut at the width of a terminal. */
  show(lines: readonly string[]): void;
  /** Prints a command to be copied, neither wrapped nor cut. */
  verbatim(line: string): void;
  /** Starts a task. A terminal shows its progress until it is done. */
  begin(what: string): Task;
  /** Shows lines that change: a terminal calls `draw` for each update, a pipe prints the line of the update. */
  live(draw: () => readonly string[]): Live;
  /** Ends the task or the live lines, complete or not. */
  still(): void;
  /** Restores the terminal. It can be called again. */
  close(): void;
}

export interface Paragraph {
  readonly style?: Style;
  /** In columns; the default is 2. */
  readonly indent?: number;
}

export interface Task {
  progress(note: string): void;
  done(result: string): void;
}

export interface Live {
  /** The lines have changed. `line` is the one that is new, if any. */
  update(line?: string): void;
  /** The lines are final. */
  end(): void;
}
