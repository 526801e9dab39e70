import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Flags, ServerProcess } from "#test/support/control-plane/server-process.ts";
import type { Isolation } from "./isolation.ts";
import type { NodePrograms } from "./programs.ts";
import { systemPath } from "./requirements.ts";

const readyTimeoutMs = 120_000;

/** How a server was started. */
interface Command {
  readonly program: string;
  readonly flags: Flags;
  /** Folders before those of the system, in which it finds programs. */
  readonly path: readonly string[];
}

/** The programs that run outside of containers, by their name. Each ends with this process. */
export class Servers {
  readonly programs: NodePrograms;
  readonly #isolation: Isolation;
  readonly #running = new Map<string, ServerProcess>();
  readonly #commands = new Map<string, Command>();

  constructor(isolation: Isolation, programs: NodePrograms) {
    this.#isolation = isolation;
    this.programs = programs;
  }

  /**
   * Starts the command `name` of a program. Its log is in the folder of the isolation.
   * @param path folders before those of the system, in which it finds programs
   */
  start(name: string, program: string, flags: Flags, path: Command["path"] = []): void {
    this.#commands.set(name, { program, flags, path });
    const environment = `PATH=${[...path, systemPath].join(delimiter)}`;
    const log = join(this.#isolation.folder, `${name}.log`);
    this.#running.set(name, new ServerProcess(this.#isolation.inside("env", [environment, program, name]), flags, log));
  }

  /** Sends SIGKILL to a server, and returns when it has ended. */
  async kill(name: string): Promise<void> {
    const server = this.#running.get(name);
    if (server === undefined) throw new Error(`${name} does not run`);
    this.#running.delete(name);
    // Its parent, which entered the namespaces for it, waits for it.
    const child = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, "utf8");
    process.kill(Number(child), "SIGKILL");
    await server.ended;
  }

  /** Sends SIGKILL to all processes of the node, and those of containers. */
  async killAll(): Promise<void> {
    const servers = [...this.#running.values()];
    this.#running.clear();
    await this.#isolation.run("/bin/sh", "-c", "kill -9 -1");
    await Promise.all(servers.map((server) => server.ended));
  }

  /** Starts a server that was killed, with the flags that it had. @param changes flags that it gets in addition, or in place of these */
  startAgain(name: string, changes: Flags = {}): void {
    const command = this.#commands.get(name);
    if (command === undefined) throw new Error(`the node has no server ${name}`);
    this.start(name, command.program, { ...command.flags, ...changes }, command.path);
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
