import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** `muster platform` as a process of its own, whose log is read. */
export class PlatformProcess {
  readonly #child: ChildProcess;
  readonly url: string;
  readonly adminToken: string;
  /** Lines of its log that tell of a failure, and words that are no lines of a log. */
  readonly complaints: readonly string[];

  private constructor(child: ChildProcess, url: string, adminToken: string, complaints: readonly string[]) {
    this.#child = child;
    this.url = url;
    this.adminToken = adminToken;
    this.complaints = complaints;
  }

  /** Fills a database with the examples: advisories have no other way in. */
  static async loadExamples(data: readonly string[]): Promise<void> {
    const args = ["src/main.ts", "platform", "load", "examples/platform", ...data];
    await promisify(execFile)(process.execPath, args);
  }

  /**
   * Resolves when it listens.
   * @param data `--data FILE` or `--database URL`
   * @param folder where its key file and the admin's token go
   * @throws Error where it ends before, with what it said
   */
  static async start(data: readonly string[], folder: string): Promise<PlatformProcess> {
    const tokenFile = join(folder, "admin-token");
    const args = ["src/main.ts", "platform", "--listen", "127.0.0.1:0", ...data];
    args.push("--key-file", join(folder, "key"), "--admin-token-file", tokenFile);
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    const complaints: string[] = [];
    const listening = Promise.withResolvers<string>();
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.includes('"msg":"listening"')) listening.resolve((JSON.parse(line) as { baseUrl: string }).baseUrl);
      else if (!/^\{"level":("(debug|info|warn)"|[1-4]0)/.test(line)) complaints.push(line);
    });
    child.once("exit", () =>
      listening.reject(new Error(`the platform ended before it listened: ${complaints.join("\n")}`)),
    );
    const url = await listening.promise;
    return new PlatformProcess(child, url, readFileSync(tokenFile, "utf8").trim(), complaints);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when it is gone. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await exit;
  }
}
