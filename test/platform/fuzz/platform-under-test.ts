import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { program } from "#test/support/harness/program.ts";

/** A platform that the fuzzer starts, with the examples loaded: only the loader can create advisories. */
export class PlatformUnderTest {
  readonly url: string;
  readonly adminToken: string;
  readonly #process: PlatformProcess;

  private constructor(process: PlatformProcess, url: string, adminToken: string) {
    this.#process = process;
    this.url = url;
    this.adminToken = adminToken;
  }

  /**
   * Resolves when the platform listens.
   * @param data `--data FILE` or `--database URL`
   * @param folder the folder for the key file and the administrator's token
   * @throws {Error} with its last output if the platform ends before it listens
   */
  static async start(data: readonly string[], folder: string): Promise<PlatformUnderTest> {
    const tokenFile = join(folder, "admin-token");
    const process = new PlatformProcess([...data, "--key-file", join(folder, "key"), "--admin-token-file", tokenFile]);
    const { baseUrl } = await process.listening();
    await loadExamples(data);
    return new PlatformUnderTest(process, baseUrl, readFileSync(tokenFile, "utf8").trim());
  }

  /** Lines of the log above the level warn, and all output outside of the log. */
  get errorLog(): string[] {
    const errors = this.#process.log.filter(({ level }) => !["debug", "info", "warn"].includes(level));
    const plain = this.#process.plainOutput.split("\n").filter((line) => line !== "");
    return [...errors.map((line) => JSON.stringify(line)), ...plain];
  }

  get isRunning(): boolean {
    return this.#process.running;
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }
}

async function loadExamples(data: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [program, "platform", "load", "examples/platform", ...data]);
}
