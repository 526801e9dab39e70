import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServerProcess } from "#test/support/control-plane/server-process.ts";
import type { Isolation } from "./isolation.ts";
import type { NodePrograms } from "./programs.ts";

const readyTimeoutMs = 120_000;

/** The programs that run outside of containers, by their name. Each ends with this process. */
export class Servers {
  readonly programs: NodePrograms;
  readonly #isolation: Isolation;
  readonly #running = new Map<string, ServerProcess>();

  constructor(isolation: Isolation, programs: NodePrograms) {
    this.#isolation = isolation;
    this.programs = programs;
  }

  /** Starts the command `name` of a program. Its log is in the folder of the isolation. */
  start(name: string, program: string, flags: Readonly<Record<string, string>>): void {
    const log = join(this.#isolation.folder, `${name}.log`);
    this.#running.set(name, new ServerProcess(this.#isolation.inside(program, [name]), flags, log));
  }

  /** @throws {Error} with the end of its log, if one has ended */
  async check(): Promise<void> {
    for (const [name, server] of this.#running)
      if (!server.running) throw new Error(`${name} ended:\n${await server.lastLogLines()}`);
  }

  /** Repeats what fails until something is ready. @throws {Error} after two minutes, or if a server has ended */
  async retry(what: string, attempt: () => Promise<unknown>): Promise<void> {
    const deadline = performance.now() + readyTimeoutMs;
    for (;;) {
      try {
        await attempt();
        return;
      } catch (error) {
        await this.check();
        if (performance.now() > deadline)
          throw new Error(`${what} was not ready after ${readyTimeoutMs / 1000} s`, { cause: error });
        await sleep(100);
      }
    }
  }
}
