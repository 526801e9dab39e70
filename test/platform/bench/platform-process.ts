import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Program } from "#test/support/bench/bundle.ts";
import { onPlatformCore } from "./cores.ts";

/** The platform as production runs it, on a core of its own. */
export class PlatformProcess {
  readonly #child: ChildProcess;
  /** `127.0.0.1:8080` */
  readonly address: string;
  readonly rootGroup: string;
  readonly pid: number;

  private constructor(child: ChildProcess, address: string, rootGroup: string) {
    this.#child = child;
    this.address = address;
    this.rootGroup = rootGroup;
    this.pid = child.pid ?? 0;
    process.once("exit", () => child.kill("SIGKILL"));
  }

  /** Resolves when it listens. @throws Error where it ends before, with what it said */
  static async start(program: Program, settings: readonly string[]): Promise<PlatformProcess> {
    const node = [process.execPath, program.file, "platform", "--listen", "127.0.0.1:0", ...settings] as const;
    const [command, ...args] = onPlatformCore([...node]);
    const child = spawn(command, args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, NODE_ENV: "production", ...program.env },
    });
    let said = "";
    for await (const line of createInterface({ input: child.stderr })) {
      said += `${line}\n`;
      if (!line.includes('"msg":"listening"')) continue;
      child.stderr.pipe(process.stderr);
      const { address, rootGroup } = JSON.parse(line) as { address: string; rootGroup: string };
      return new PlatformProcess(child, address, rootGroup);
    }
    throw new Error(`the platform ended before it listened: ${said}`);
  }

  /** From now on the peak of its memory is counted anew. */
  async forgetPeak(): Promise<void> {
    await writeFile(`/proc/${this.pid}/clear_refs`, "5");
  }

  /** Stops it, and resolves when it is gone. */
  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await exit;
  }
}
