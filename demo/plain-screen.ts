import { painter, paragraphLines } from "./paragraph.ts";
import type { Live, Paragraph, Screen, Style, Task } from "./screen.ts";
import { formatDuration } from "./format-duration.ts";

/** A file or a pipe: plain lines. */
export class PlainScreen implements Screen {
  readonly columns = 120;
  readonly paint: (style: Style, text: string) => string;
  readonly #out: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    this.paint = painter(out);
  }

  say(text: string, paragraph?: Paragraph): void {
    for (const line of paragraphLines(text, this.columns, this.paint, paragraph)) this.#line(line);
  }

  show(lines: readonly string[]): void {
    for (const line of lines) this.#line(line);
  }

  verbatim(line: string): void {
    this.#line(line);
  }

  begin(what: string): Task {
    const started = performance.now();
    return {
      progress: (note) => this.#line(`    ${what}: ${note}`),
      done: (result) => this.say(`✓ ${result} (${formatDuration(performance.now() - started)})`),
    };
  }

  live(_draw: () => readonly string[]): Live {
    return {
      update: (line) => {
        if (line !== undefined) this.#line(line);
      },
      end: () => {},
    };
  }

  still(): void {}

  close(): void {}

  #line(text: string): void {
    this.#out.write(`${text}\n`);
  }
}
