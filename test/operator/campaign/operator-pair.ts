import { setTimeout as sleep } from "node:timers/promises";
import type { MusterProcess } from "#test/support/harness/muster-process.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import type { System } from "#test/support/harness/system.ts";

interface Addresses {
  readonly platformUrl: string;
  readonly kubernetesUrl: string;
}

/** The pause after an operator could not be started. */
const restartMs = 500;

/**
 * Two operators, each of which is restarted when it ends, as Kubernetes restarts a container: until it runs, because the API
 * server that issues its tokens may be away.
 */
export class OperatorPair {
  /** Called when an operator ended by itself, as one does that could not renew the Lease. Can be replaced at any time. */
  onEnd: () => void = () => undefined;
  readonly #current: (Operator | undefined)[] = [undefined, undefined];
  readonly #failures: string[] = [];
  readonly #running: Promise<unknown>;
  #starting: Promise<unknown> = Promise.resolve();
  #stopped = false;
  /** Resolves when operators may start. */
  #admitted: Promise<void> = Promise.resolve();
  #admit: () => void = () => undefined;
  /** Resolves when the operator that is being started runs, or could not be started. */
  #launched: Promise<void> = Promise.resolve();

  constructor(system: Pick<System, "startOperator">, flags: readonly string[], addresses: Addresses) {
    this.#running = Promise.all(this.#current.map((_, index) => this.#run(index, system, flags, addresses)));
  }

  /** The one that leads, or, as far as its log shows, last led. */
  get leader(): MusterProcess | undefined {
    return this.running.find(({ process }) => process.log.some(({ msg }) => msg === "leading"))?.process;
  }

  get follower(): MusterProcess | undefined {
    const { leader } = this;
    return this.running.find(({ process }) => process !== leader)?.process;
  }

  get running(): readonly Operator[] {
    return this.#current.flatMap((one) => (one?.process.running === true ? [one] : []));
  }

  /** Waits until an operator leads. @throws {Error} after `timeoutMs` */
  async led(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.leader === undefined) {
      if (performance.now() > deadline) throw new Error(`no operator leads after ${timeoutMs / 1000} s`);
      await sleep(200);
    }
  }

  /** Why operators could not be started, in order. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Sends SIGKILL to both, and starts none. @returns to be called to start them again */
  async hold(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#admitted = promise;
    this.#admit = resolve;
    await this.#launched;
    await this.#kill();
    return resolve;
  }

  /** Sends SIGKILL to both. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#admit();
    await this.#kill();
    await this.#running;
  }

  async #kill(): Promise<void> {
    await Promise.all(this.#current.map(async (one) => one?.process.kill()));
  }

  async #run(
    index: number,
    system: Pick<System, "startOperator">,
    flags: readonly string[],
    addresses: Addresses,
  ): Promise<void> {
    while (!this.#stopped) {
      // A system numbers its operators, so that they start one after the other.
      const start = this.#starting.then(async () => {
        await this.#admitted;
        this.#launched = this.#start(index, system, flags, addresses);
        await this.#launched;
      });
      this.#starting = start;
      await start;
      if (this.#stopped) await this.#kill();
      const { process } = this.#current[index] ?? {};
      await process?.ended;
      if (process !== undefined && process.signalCode === null) this.onEnd();
    }
  }

  /** Starts the operator with this number, unless it is not needed any more. Waits a moment if it could not be started. */
  async #start(
    index: number,
    system: Pick<System, "startOperator">,
    flags: readonly string[],
    addresses: Addresses,
  ): Promise<void> {
    if (this.#stopped) return;
    try {
      this.#current[index] = await system.startOperator(flags, addresses);
    } catch (error) {
      this.#failures.push(`${new Date().toISOString()} ${(error as Error).message}`);
      await sleep(restartMs);
    }
  }
}
