import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { program as testedProgram, programEnvironment } from "./program.ts";

const stopTimeoutMs = 15_000;
const logTimeoutMs = 60_000;

export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

export interface MusterProcessOptions {
  /** The file to run; by default the one that the test run has decided on. `dist/muster.mjs` is what production runs. */
  readonly program?: string;
  /** The command that runs Node, with its flags; for example `taskset --cpu-list 1`. By default Node runs directly. */
  readonly launcher?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Restart when a source file changes. */
  readonly watch?: boolean;
  /** Called with each line of output when it arrives. */
  readonly onLine?: (line: string) => void;
}

/** `muster` as a process of its own. It ends with this process, even if this one is killed. */
export class MusterProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #lines: LogLine[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #closed: Promise<void>;
  readonly #killSignal: NodeJS.Signals;
  readonly #onLine: ((line: string) => void) | undefined;
  #plainOutput = "";
  #allRead = false;

  constructor(
    args: readonly string[],
    { program = testedProgram, launcher = [], env = {}, watch = false, onLine }: MusterProcessOptions = {},
  ) {
    this.#name = `muster ${args[0] ?? ""}`;
    this.#onLine = onLine;
    const watchFlags = watch ? ["--watch", "--watch-preserve-output"] : [];
    const [command, ...commandArgs] = [...launcher, process.execPath, ...watchFlags, program, ...args];
    this.#child = spawn(command as string, commandArgs, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...(program === testedProgram ? programEnvironment : {}), ...env },
    });
    // "exit" is emitted before the last output has been read.
    this.#closed = once(this.#child, "close").then(() => {
      this.#allRead = true;
      this.#notify();
    });
    // The watcher must get the chance to end its own child.
    this.#killSignal = watch ? "SIGTERM" : "SIGKILL";
    const killChild = () => this.#child.kill(this.#killSignal);
    process.once("exit", killChild);
    const leash = this.#leash();
    void this.#closed.then(() => {
      process.removeListener("exit", killChild);
      leash?.kill("SIGKILL");
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream !== null) this.#read(stream);
  }

  /** Kills the child when this process is killed: a shell waits until our end of its standard input closes. */
  #leash(): ChildProcess | undefined {
    if (this.#child.pid === undefined) return undefined;
    const script = `read -r _; kill -s ${this.#killSignal.slice("SIG".length)} "$0"`;
    const leash = spawn("/bin/sh", ["-c", script, String(this.#child.pid)], { stdio: ["pipe", "ignore", "ignore"] });
    leash.unref();
    (leash.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    return leash;
  }

  /** A line of JSON belongs to the log. Every other line is plain output. */
  #read(stream: Readable): void {
    let rest = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        this.#onLine?.(line);
        if (line.startsWith("{")) this.#lines.push(JSON.parse(line) as LogLine);
        else this.#plainOutput += `${line}\n`;
      }
      this.#notify();
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

  /** The signal that ended the process. */
  get signalCode(): NodeJS.Signals | null {
    return this.#child.signalCode;
  }

  get log(): readonly LogLine[] {
    return this.#lines;
  }

  /** The output outside of the log. */
  get plainOutput(): string {
    return this.#plainOutput;
  }

  /**
   * The first matching line of the log, past or future; `from` excludes the lines before that index.
   * @param wanted the message, or a predicate
   * @throws {Error} with the last output if the process ends before, or after 60 s
   */
  async logged(wanted: string | ((line: LogLine) => boolean), from = 0): Promise<LogLine> {
    const matches = typeof wanted === "string" ? (line: LogLine) => line.msg === wanted : wanted;
    const deadline = performance.now() + logTimeoutMs;
    for (;;) {
      const found = this.#lines.find((line, index) => index >= from && matches(line));
      if (found !== undefined) return found;
      if (this.#allRead)
        throw new Error(
          `${this.#name} ended (${this.#child.exitCode ?? this.#child.signalCode}): ${this.lastOutput()}`,
        );
      if (performance.now() >= deadline)
        throw new Error(
          `${this.#name} did not log the expected line within ${logTimeoutMs / 1000} s: ${this.lastOutput()}`,
        );
      await this.#nextOutput(deadline - performance.now());
    }
  }

  #nextOutput(timeoutMs: number): Promise<void> {
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

  /** Resolves when the process has ended and all of its output has been read. */
  get ended(): Promise<void> {
    return this.#closed;
  }

  signal(name: "SIGSTOP" | "SIGCONT" | "SIGHUP"): void {
    this.#child.kill(name);
  }

  /** Sends SIGTERM, as Kubernetes does, and waits. @throws {Error} if it takes longer than 15 s, after SIGKILL */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), stopTimeoutMs);
    await this.#closed;
    clearTimeout(timer);
    if (this.#child.signalCode === "SIGKILL")
      throw new Error(`${this.#name} did not end within ${stopTimeoutMs / 1000} s of SIGTERM`);
  }

  /** Sends SIGKILL and waits. */
  async kill(): Promise<void> {
    if (this.running) this.#child.kill(this.#killSignal);
    await this.#closed;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The last lines of the log, and the plain output, for an error message. */
  lastOutput(): string {
    return [...this.#lines.slice(-5).map((line) => JSON.stringify(line)), this.#plainOutput.trimEnd()].join("\n");
  }
}
