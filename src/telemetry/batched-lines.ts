import type { DestinationStream } from "pino";

/** Where batches of lines go: a SonicBoom of pino. */
export interface LineSink {
  /** Never blocks. @returns false if its buffer is full. */
  write(lines: string): boolean;
  flushSync(): void;
}

/** Lines wait for at most this time: what a SIGKILL can lose. */
const maxDelayMs = 50;
/** A batch of this size is written at once. */
const batchLength = 16 * 1024;

/**
 * Collects lines and passes them on in batches, because each write costs several times what it costs to format a line.
 *
 * *Guarantees*: a line is passed on within 50 ms, in the order of the calls. `flushSync` writes what is left, and the exit
 * of the process calls it, also after an uncaught exception. Less than one batch and one line wait here; what the sink
 * buffers is bounded by the sink.
 *
 * *Caveats*: a process that is killed (SIGKILL, or by the kernel) loses the lines of the last 50 ms. A batch that the sink is
 * writing when the process exits may come after the lines that the exit flushes: Node cannot wait for it.
 */
export class BatchedLines implements DestinationStream {
  readonly #sink: LineSink;
  #waiting = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length >= batchLength) this.#pass();
    else this.#timer ??= setTimeout(() => this.#pass(), maxDelayMs);
  }

  flushSync(): void {
    this.#pass();
    this.#sink.flushSync();
  }

  #pass(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === "") return;
    const lines = this.#waiting;
    this.#waiting = "";
    this.#sink.write(lines);
  }
}
