import type { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

/** Where the demo shows itself: a terminal, where things move, or a pipe, which gets one plain line after the other. */
export interface Screen {
  /** How wide it is just now. */
  readonly columns: number;
  /** The text in a style, where the screen has styles. */
  paint(style: Style, text: string): string;
  /** A paragraph, broken between words. */
  say(text: string, paragraph?: Paragraph): void;
  /** Lines as they are, cut at the edge of a terminal. */
  show(lines: readonly string[]): void;
  /** Commands to be copied: neither broken nor cut. */
  verbatim(line: string): void;
  /** Something that takes time. On a terminal its last line moves until it is done. */
  begin(what: string): Task;
  /** Lines that change: `draw` is asked again at each `update`. A pipe is only told what is `told`. */
  live(draw: () => readonly string[]): Live;
  /** Ends what moves, done or not. */
  still(): void;
  /** Leaves the terminal as it was. May be called again. */
  close(): void;
}

export interface Paragraph {
  readonly style?: Style;
  /** Default 2. */
  readonly indent?: number;
}

export interface Task {
  progress(note: string): void;
  done(result: string): void;
}

export interface Live {
  /** The lines have changed; `told` is what is new about them. */
  update(told?: string): void;
  /** They change no more, and stay. */
  end(): void;
}
