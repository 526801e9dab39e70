import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** `muster platform` as a process of its own. */
export class Replica {
  readonly #child: ChildProcess;
  readonly url: string;
  readonly rootGroup: string;

  private constructor(child: ChildProcess, url: string, rootGroup: string) {
    this.#child = child;
    this.url = url;
    this.rootGroup = rootGroup;
  }

  /** Resolves when it listens. @throws Error where it ends before, with what it said */
  static async start(settings: readonly string[]): Promise<Replica> {
    const args = ["src/main.ts", "platform", "--listen", "127.0.0.1:0", ...settings];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    for await (const line of createInterface({ input: child.stderr })) {
      said += `${line}\n`;
      if (!line.includes('"msg":"listening"')) continue;
      child.stderr.resume();
      const { baseUrl, rootGroup } = JSON.parse(line) as { baseUrl: string; rootGroup: string };
      return new Replica(child, baseUrl, rootGroup);
    }
    throw new Error(`the platform ended before it listened: ${said}`);
  }

  /** Resolves when it is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill(signal);
    await exit;
  }
}
