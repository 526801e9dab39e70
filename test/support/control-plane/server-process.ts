import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Program } from "./programs.ts";

/** Kills a program when its parent ends: the shell waits until the parent's end of its standard input closes. */
const leash =
  'exec 3<&0; "$@" </dev/null 3<&- & server=$!; (cat <&3 >/dev/null; kill -9 $server) 2>/dev/null & wait $server';

/**
 * GOGC: Go collects garbage when the heap has grown by this percentage; its default is 100. With 400 the API server
 * uses a fifth less CPU time and some hundred MiB more memory, which is acceptable for a short-lived process.
 */
const gogc = "400";

/** The flags of a program, by name. One with several values is given several times. */
export type Flags = Readonly<Record<string, string | readonly string[]>>;

/** One server of the control plane. It ends with this process, even if this one is killed. */
export class ServerProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #endsWithParent: boolean;
  readonly #logFile: string;
  readonly #ended: Promise<unknown>;

  constructor(program: Program, flags: Flags, logFile: string) {
    this.name = basename(logFile, ".log");
    this.#endsWithParent = program.endsWithParent;
    this.#logFile = logFile;
    const args = [
      ...program.args,
      ...Object.entries(flags).flatMap(([flag, values]) => [values].flat().map((value) => `--${flag}=${value}`)),
    ];
    const log = openSync(logFile, "a", 0o600);
    const options = { stdio: ["pipe" as const, log, log], env: { GOGC: gogc, ...process.env } };
    this.#child = program.endsWithParent
      ? spawn(program.command, args, options)
      : spawn("/bin/sh", ["-c", leash, "sh", program.command, ...args], options);
    closeSync(log);
    this.#ended = once(this.#child, "exit");
    this.#ended.catch(() => {});
    // The open pipe must not keep alive a test process that did not stop its servers.
    this.#child.stdin?.on("error", () => {});
    this.#child.unref();
    (this.#child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.name} did not start`);
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when it has ended, for whatever reason. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** The last lines of its log, for an error message. */
  async lastLogLines(): Promise<string> {
    const log = await readFile(this.#logFile, "utf8").catch(() => "");
    return log.trimEnd().split("\n").slice(-15).join("\n");
  }

  /** Kills it and waits: its data is no longer needed. */
  async kill(): Promise<void> {
    if (!this.running) return;
    this.#child.ref();
    this.#child.stdin?.destroy();
    // The shell of the leash must live until it has killed the server.
    if (this.#endsWithParent) this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
