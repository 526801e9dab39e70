import { closeSync, openSync } from "node:fs";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/** What the thread works on. */
export interface CheckpointFile {
  readonly path: string;
  /** Of the file, to sync it. */
  readonly descriptor: number;
}

/**
 * Copies what was written from the log of a SQLite file to the file, in a thread of its own: it takes tens of milliseconds, in which
 * the event loop would serve nobody. Commits add to the log meanwhile, and SQLite starts it anew only once all of it was copied, so
 * the thread that writes copies the rest, between two commits.
 *
 * The thread starts with the first checkpoint, so a process that writes little has none. If it fails, the next checkpoint starts
 * another; the log stays bounded anyway, because the connection that writes makes a checkpoint of its own when the log is long.
 *
 * It holds a descriptor of the file. To close one ends all locks of the process on the file, also those of SQLite, so it is kept
 * until `close`.
 */
export class Checkpointer {
  readonly #path: string;
  readonly #length: number;
  #worker: Worker | undefined;
  #descriptor: number | undefined;
  /** `copied`: the thread has ended a checkpoint, and the thread that writes has not copied the rest yet. */
  #state: "idle" | "copying" | "copied" = "idle";
  #written = 0;

  /**
   * @param path of the SQLite file, which exists and has a write-ahead log
   * @param length how much (bytes) is written to the log until a checkpoint is made
   */
  constructor(path: string, length: number) {
    this.#path = path;
    this.#length = length;
  }

  /** Whether a thread is running. */
  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /**
   * Takes note of a commit, and begins a checkpoint if enough was written and none is running.
   * @param length about how much (bytes) it added to the log
   * @param copyRest makes a checkpoint in this thread. Called if little is left to copy.
   */
  committed(length: number, copyRest: () => void): void {
    this.#written += length;
    if (this.#state === "copied") {
      this.#state = "idle";
      copyRest();
    }
    if (this.#state === "copying" || this.#written < this.#length) return;
    this.#state = "copying";
    this.#written = 0;
    this.#worker ??= this.#start();
    this.#worker.postMessage("checkpoint");
  }

  /** Waits for the checkpoint that is running, and ends the thread. No connection of this process may use the file any longer. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker !== undefined)
      await new Promise((resolve) => {
        worker.ref();
        worker.once("exit", resolve);
        worker.postMessage("close");
      });
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #start(): Worker {
    // In the bundle, the thread's code is a file next to this one, too.
    const code = new URL(`./checkpoint-worker${extname(import.meta.url)}`, import.meta.url);
    this.#descriptor ??= openSync(this.#path, "r");
    const worker = new Worker(code, {
      workerData: { path: this.#path, descriptor: this.#descriptor } satisfies CheckpointFile,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    });
    // An open database does not keep the process running.
    worker.unref();
    worker.on("message", () => {
      this.#state = "copied";
    });
    // Without a listener, its error would end the process.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      this.#worker = undefined;
      if (this.#state === "copying") this.#state = "idle";
    });
    return worker;
  }
}
