import { setTimeout as sleep } from "node:timers/promises";
import type { MusterProcess } from "#test/support/harness/muster-process.ts";
import type { System } from "#test/support/harness/system.ts";

interface Addresses {
  readonly platformUrl: string;
  readonly kubernetesUrl: string;
}

/** Two operators, each of which is restarted when it ends, as Kubernetes restarts a container. */
export class OperatorPair {
  readonly #current: (MusterProcess | undefined)[] = [undefined, undefined];
  readonly #running: Promise<unknown>;
  #starting: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(system: System, flags: readonly string[], addresses: Addresses) {
    this.#running = Promise.all(this.#current.map((_, index) => this.#run(index, system, flags, addresses)));
    // `stop` reports a failure.
    this.#running.catch(() => undefined);
  }

  /** The one that leads, or, as far as its log shows, last led. */
  get leader(): MusterProcess | undefined {
    return this.#current.find((one) => one?.running === true && one.log.some(({ msg }) => msg === "leading"));
  }

  get follower(): MusterProcess | undefined {
    const { leader } = this;
    return this.#current.find((one) => one !== leader && one?.running === true);
  }

  /** Waits until an operator leads. @throws {Error} after `timeoutMs` */
  async led(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.leader === undefined) {
      if (performance.now() > deadline) throw new Error(`no operator leads after ${timeoutMs / 1000} s`);
      await sleep(200);
    }
  }

  /** The last lines that each of them logged. */
  lastLogLines(count: number): readonly string[] {
    return this.#current.flatMap(
      (one, index) => one?.log.slice(-count).map((line) => `operator ${index}: ${JSON.stringify(line)}`) ?? [],
    );
  }

  /** Sends SIGKILL to both. @throws {Error} if a restart failed */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#current.map(async (one) => one?.kill()));
    await this.#running;
  }

  async #run(index: number, system: System, flags: readonly string[], addresses: Addresses): Promise<void> {
    while (!this.#stopped) {
      // A system numbers its operators, so that they start one after the other.
      const start = this.#starting.then(async () =>
        this.#stopped ? undefined : await system.startOperator(flags, addresses),
      );
      this.#starting = start.catch(() => undefined);
      const operator = await start;
      if (operator === undefined) return;
      this.#current[index] = operator.process;
      if (this.#stopped) await operator.process.kill();
      await operator.process.ended;
    }
  }
}
