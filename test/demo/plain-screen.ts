import { styleText } from "node:util";
import type { Live, Screen, Style, Task } from "./screen.ts";
import { took } from "./took.ts";
import { wrap } from "./width.ts";

/** Lines for a file, a log or another program. */
export class PlainScreen implements Screen {
  readonly columns = 120;
  readonly #out: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  paint(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#out, validateStream: true });
  }

  say(text: string, { style, indent = 2 }: { style?: Style; indent?: number } = {}): void {
    for (const line of wrap(text, this.columns - indent))
      this.#line(" ".repeat(indent) + (style === undefined ? line : this.paint(style, line)));
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
      done: (result) => this.#line(`  ✓ ${result} (${took(performance.now() - started)})`),
    };
  }

  live(_draw: () => readonly string[]): Live {
    return {
      update: (told) => {
        if (told !== undefined) this.#line(told);
      },
      end: () => {},
    };
  }

  close(): void {}

  #line(text: string): void {
    this.#out.write(`${text}\n`);
  }
}
