import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Program } from "./programs.ts";

/** Runs a program that knows nothing of its parent's end: the shell waits for that on standard input and ends it. */
const leash =
  'exec 3<&0; "$@" </dev/null 3<&- & server=$!; (cat <&3 >/dev/null; kill -9 $server) 2>/dev/null & wait $server';

/**
 * Go collects garbage once the heap has grown by this share of what is alive, in percent. It takes 100 by itself; so much
 * more spares the API server a fifth of its CPU time, for some hundred MiB that a short life can spend.
 */
const garbageShare = "400";

/** One server of the control plane: a process that ends with this one, whatever way this one ends. */
export class ServerProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #endsWithParent: boolean;
  readonly #logFile: string;
  readonly #ended: Promise<unknown>;

  constructor(program: Program, flags: Readonly<Record<string, string>>, logFile: string) {
    this.name = basename(logFile, ".log");
    this.#endsWithParent = program.endsWithParent;
    this.#logFile = logFile;
    const args = [...program.args, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)];
    const log = openSync(logFile, "a", 0o600);
    const options = { stdio: ["pipe" as const, log, log], env: { GOGC: garbageShare, ...process.env } };
    this.#child = program.endsWithParent
      ? spawn(program.command, args, options)
      : spawn("/bin/sh", ["-c", leash, "sh", program.command, ...args], options);
    closeSync(log);
    this.#ended = once(this.#child, "exit");
    this.#ended.catch(() => {});
    // A test may end without stopping what it started: the open pipe must not keep it alive.
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

  /** The end of what it has written, for a message about its death. */
  async lastLogLines(): Promise<string> {
    const log = await readFile(this.#logFile, "utf8").catch(() => "");
    return log.trimEnd().split("\n").slice(-15).join("\n");
  }

  /** Ends it at once: nothing that it holds is wanted any more. */
  async kill(): Promise<void> {
    if (!this.running) return;
    this.#child.ref();
    this.#child.stdin?.destroy();
    // The shell of the leash must live until it has ended its server.
    if (this.#endsWithParent) this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
