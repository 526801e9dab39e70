import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
const stopTimeoutMs = 15_000;
const logTimeoutMs = 60_000;

export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

export interface MusterProcessOptions {
  /** The file to run; default: the source. `dist/muster.js` is what production runs. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Start anew whenever a source file changes. */
  readonly watch?: boolean;
  /** Each line that it writes, as it comes. */
  readonly onLine?: (line: string) => void;
}

/** `muster` as a process of its own, as people run it; it ends with this process, whatever way this one ends. */
export class MusterProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #lines: LogLine[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #exited: Promise<void>;
  readonly #worstEnd: NodeJS.Signals;
  readonly #onLine: ((line: string) => void) | undefined;
  #said = "";
  #allRead = false;

  constructor(args: readonly string[], { program = main, env = {}, watch = false, onLine }: MusterProcessOptions = {}) {
    this.#name = `muster ${args[0] ?? ""}`;
    this.#onLine = onLine;
    this.#child = spawn(
      process.execPath,
      [...(watch ? ["--watch", "--watch-preserve-output"] : []), program, ...args],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...env },
      },
    );
    // Not "exit", which comes before its last words have been read.
    this.#exited = once(this.#child, "close").then(() => {
      this.#allRead = true;
      this.#tell();
    });
    // The watcher has to end its own child first.
    this.#worstEnd = watch ? "SIGTERM" : "SIGKILL";
    const endWithUs = () => this.#child.kill(this.#worstEnd);
    process.once("exit", endWithUs);
    const leash = this.#leash();
    void this.#exited.then(() => {
      process.removeListener("exit", endWithUs);
      leash?.kill("SIGKILL");
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream !== null) this.#read(stream);
  }

  /** Ends it where this process is killed and can do nothing any more: then the other end of a pipe closes. */
  #leash(): ChildProcess | undefined {
    if (this.#child.pid === undefined) return undefined;
    const script = `read -r _; kill -s ${this.#worstEnd.slice("SIG".length)} "$0"`;
    const leash = spawn("/bin/sh", ["-c", script, String(this.#child.pid)], { stdio: ["pipe", "ignore", "ignore"] });
    leash.unref();
    (leash.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    return leash;
  }

  /** A line of JSON is of the log; anything else is said to people. */
  #read(stream: Readable): void {
    let rest = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        this.#onLine?.(line);
        if (line.startsWith("{")) this.#lines.push(JSON.parse(line) as LogLine);
        else this.#said += `${line}\n`;
      }
      this.#tell();
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#name} did not start`);
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  /** What has killed it. */
  get signalCode(): NodeJS.Signals | null {
    return this.#child.signalCode;
  }

  get log(): readonly LogLine[] {
    return this.#lines;
  }

  /** What it said to people, outside of its log. */
  get said(): string {
    return this.#said;
  }

  /**
   * The first line of the log, past or to come, that is as wanted; `from` leaves out what was there before.
   * @throws if the process ends before, or takes too long
   */
  async logged(wanted: string | ((line: LogLine) => boolean), from = 0): Promise<LogLine> {
    const matches = typeof wanted === "string" ? (line: LogLine) => line.msg === wanted : wanted;
    const deadline = performance.now() + logTimeoutMs;
    for (;;) {
      const found = this.#lines.find((line, index) => index >= from && matches(line));
      if (found !== undefined) return found;
      if (this.#allRead)
        throw new Error(`${this.#name} ended (${this.#child.exitCode ?? this.#child.signalCode}): ${this.lastWords()}`);
      if (performance.now() >= deadline)
        throw new Error(`${this.#name} did not log it within ${logTimeoutMs / 1000} s: ${this.lastWords()}`);
      await this.#somethingHappens(deadline - performance.now());
    }
  }

  #somethingHappens(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const listener = () => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        resolve();
      };
      const timer = setTimeout(listener, timeoutMs);
      this.#listeners.add(listener);
    });
  }

  /** Resolves when it has ended, whatever way. */
  get ended(): Promise<void> {
    return this.#exited;
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(name);
  }

  /** SIGTERM, as Kubernetes sends it. @throws if it takes too long, after killing it */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), stopTimeoutMs);
    await this.#exited;
    clearTimeout(timer);
    if (this.#child.signalCode === "SIGKILL")
      throw new Error(`${this.#name} did not end within ${stopTimeoutMs / 1000} s of SIGTERM`);
  }

  /** The worst end. */
  async kill(): Promise<void> {
    if (this.running) this.#child.kill(this.#worstEnd);
    await this.#exited;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The end of what it has written, for a message about it. */
  lastWords(): string {
    return [...this.#lines.slice(-5).map((line) => JSON.stringify(line)), this.#said.trimEnd()].join("\n");
  }
}
