import { painter, paragraphLines } from "./paragraph.ts";
import type { Live, Paragraph, Screen, Style, Task } from "./screen.ts";
import { formatDuration } from "./format-duration.ts";
import { fit } from "./width.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;
const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
/** Synchronized output: terminals that support it show everything between the two at once, others ignore it. */
const [beginFrame, endFrame] = ["\u001b[?2026h", "\u001b[?2026l"];
/** Longer lines are hard to read. */
const maximumColumns = 100;
const clearBelow = "\u001b[J";

/**
 * A terminal. Printed text stays; below it is at most one live region. The region is overwritten line by line in one
 * write, without clearing it first, so that it does not flicker.
 */
export class LiveScreen implements Screen {
  readonly paint: (style: Style, text: string) => string;
  readonly #out: NodeJS.WriteStream;
  #draw: (() => readonly string[]) | undefined;
  /** The number of lines of the region on the terminal. */
  #drawn = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #redraw = () => this.#paintOver([]);

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    this.paint = painter(out);
    out.on("resize", this.#redraw);
    out.write(hideCursor);
  }

  get columns(): number {
    return this.#out.columns || 80;
  }

  say(text: string, paragraph?: Paragraph): void {
    this.#paintOver(paragraphLines(text, Math.min(this.columns, maximumColumns), this.paint, paragraph));
  }

  show(lines: readonly string[]): void {
    this.#paintOver(lines.map((line) => fit(line, this.columns)));
  }

  verbatim(line: string): void {
    this.#paintOver([line]);
  }

  begin(what: string): Task {
    const started = performance.now();
    let frame = 0;
    let note = "";
    const elapsed = () => this.paint("dim", formatDuration(performance.now() - started));
    const live = this.live(() => [
      `  ${this.paint("cyan", frames[frame++ % frames.length] ?? "")} ${what}${note === "" ? "" : `: ${note}`} ${elapsed()}`,
    ]);
    this.#timer = setInterval(this.#redraw, frameMs);
    return {
      progress: (text) => {
        note = text;
        live.update();
      },
      done: (result) => {
        this.still();
        this.say(`✓ ${result} (${formatDuration(performance.now() - started)})`);
      },
    };
  }

  live(draw: () => readonly string[]): Live {
    this.#draw = draw;
    this.#redraw();
    return {
      update: () => this.#redraw(),
      end: () => {
        this.#draw = undefined;
        this.show(draw());
      },
    };
  }

  still(): void {
    clearInterval(this.#timer);
    this.#draw = undefined;
    this.#redraw();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.still();
    this.#out.removeListener("resize", this.#redraw);
    this.#out.write(showCursor);
  }

  /** Prints `lines` where the region was, and the region below them. */
  #paintOver(lines: readonly string[]): void {
    const height = Math.max((this.#out.rows || 24) - 1, 1);
    const region = (this.#draw?.() ?? []).slice(-height).map((line) => fit(line, this.columns));
    const up = this.#drawn === 0 ? "" : `\u001b[${this.#drawn}A`;
    const text = [...lines, ...region].map((line) => `\r${line}\u001b[K\n`).join("");
    this.#drawn = region.length;
    this.#out.write(`${beginFrame}${up}${text}${clearBelow}${endFrame}`);
  }
}
