import { crashesOf } from "#test/operator/campaign/crashes.ts";
import type { MusterProcess } from "#test/support/harness/muster-process.ts";

/** The operator of one build, which is started again when it ends by itself, as Kubernetes restarts a container. */
export class Leader {
  readonly #start: () => Promise<MusterProcess>;
  readonly #ended: MusterProcess[] = [];
  #current: Promise<MusterProcess>;
  #isEnded = false;

  private constructor(start: () => Promise<MusterProcess>) {
    this.#start = start;
    this.#current = this.#startOne();
  }

  /** @param start starts the process. @throws {Error} if it does not start */
  static async start(start: () => Promise<MusterProcess>): Promise<Leader> {
    const leader = new Leader(start);
    await leader.#current;
    return leader;
  }

  /** Waits until it leads. @throws {Error} with its last output if it does not lead in time */
  async leads(): Promise<void> {
    const process = await this.#current;
    try {
      await process.logged("leading");
    } catch (error) {
      if (process.running) throw error;
      await process.ended;
      await this.leads();
    }
  }

  /** Sends SIGTERM, and waits for the end. */
  async stop(): Promise<void> {
    this.#isEnded = true;
    await (await this.#current).stop();
  }

  /** Sends SIGKILL. */
  async kill(): Promise<void> {
    this.#isEnded = true;
    await (await this.#current).kill();
  }

  /** How often it was started again. */
  get restarts(): number {
    return this.#ended.length;
  }

  /** Of the processes that ended by themselves, those without a reason that a busy machine has: a Lease that was lost. */
  get crashes(): readonly string[] {
    return crashesOf(this.#ended);
  }

  async #startOne(): Promise<MusterProcess> {
    const process = await this.#start();
    void process.ended.then(() => {
      if (this.#isEnded) return;
      this.#ended.push(process);
      this.#current = this.#startOne();
      // Reported by `leads`, `stop` and `kill`.
      this.#current.catch(() => undefined);
    });
    return process;
  }
}
