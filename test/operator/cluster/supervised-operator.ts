import type { MusterProcess } from "#test/support/harness/muster-process.ts";
import type { System } from "#test/support/harness/system.ts";

/** An operator that is restarted whenever it ends, as Kubernetes restarts a container. */
export class SupervisedOperator {
  readonly #running: Promise<void>;
  #current: MusterProcess | undefined;
  #stopped = false;

  constructor(system: System, platformUrl: string, flags: readonly string[]) {
    this.#running = this.#run(system, platformUrl, flags);
    // `stop` reports a failure.
    this.#running.catch(() => undefined);
  }

  /** Sends SIGKILL. */
  async kill(): Promise<void> {
    await this.#current?.kill();
  }

  /** @throws {Error} if a restart failed */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#current?.stop();
    await this.#running;
  }

  async #run(system: System, platformUrl: string, flags: readonly string[]): Promise<void> {
    while (!this.#stopped) {
      const { process } = await system.startOperator(flags, { platformUrl });
      this.#current = process;
      await process.ended;
    }
  }
}
