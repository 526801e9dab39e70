import type { Status } from "#src/api/status.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { type Manifest, MemoryKube } from "./memory-kube.ts";
import { type LostAnswer, MemoryPlatform, root } from "./memory-platform.ts";
import { type CrashPoint, leaseMs, OperatorProcess } from "./operator-process.ts";

export interface Fault {
  readonly crash?: CrashPoint;
  readonly lose?: { readonly post: number; readonly how: LostAnswer };
}

/** No scenario needs longer, with any one fault. */
const patienceMs = 600_000;

/** A cluster, a platform, and one operator process after another, until all is as it should be. */
export class Scenario {
  readonly clock = new ManualClock();
  readonly kube = new MemoryKube(this.clock);
  readonly platform = new MemoryPlatform(this.clock);
  readonly events: string[] = [];
  readonly failures: unknown[] = [];
  readonly #fault: Fault;
  #process: OperatorProcess;
  #calls = 0;
  #starts = 0;

  constructor(fault: Fault = {}) {
    this.#fault = fault;
    this.platform.lose = fault.lose;
    this.#process = this.#start("created");
  }

  get calls(): number {
    return this.#calls;
  }

  get process(): OperatorProcess {
    return this.#process;
  }

  get crashed(): boolean {
    return this.#starts > 1;
  }

  /** Lets time pass until `reached`, with a new process wherever one has died. */
  async until(what: string, reached: () => boolean): Promise<void> {
    const end = this.clock.monotonic() + patienceMs;
    while (!reached() || this.#process.dead) {
      if (this.clock.monotonic() > end) throw new Error(`never came to: ${what}\n${this.describe()}`);
      if (this.#process.dead) {
        await this.clock.advance(leaseMs);
        this.failures.push(...this.#process.failures);
        this.#process = this.#start("expired");
      }
      await this.clock.advance(Math.min(this.clock.untilNext ?? 100, 1_000));
    }
  }

  /** Lets `ms` pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** One pass of the platform's collections, to its end. */
  async driftPass(): Promise<void> {
    const process = this.#process;
    let done = false;
    const pass = process.driftPass().finally(() => {
      done = true;
    });
    await this.until("the end of the drift pass", () => done || this.#process !== process);
    if (this.#process === process) await pass;
    else await this.driftPass();
  }

  /** The process is killed, and another one takes over. */
  async restart(): Promise<void> {
    this.#process.kill();
    await this.until("a new process", () => true);
  }

  /** What differs from: each manifest Ready as it is now, for exactly one thing that is as it says. Empty if nothing does. */
  differences(manifests: readonly Manifest[]): string[] {
    const found: string[] = [];
    const uids = new Map<string, string>();
    for (const { kind, name } of manifests) {
      const object = this.kube.find(kind, name);
      const status = object?.status as Status | undefined;
      const ready = status?.conditions?.find((condition) => condition.type === "Ready");
      if (ready?.status !== "True" || ready.observedGeneration !== object?.metadata.generation)
        found.push(`${kind} ${name} is not Ready: ${ready?.reason}: ${ready?.message}`);
      if (status?.uid !== undefined) uids.set(`${kind} ${name}`, status.uid);
    }
    const things = this.platform.things();
    if (things.length !== manifests.length) found.push(`${things.length} things on the platform`);
    for (const { kind, name, spec } of manifests) {
      const uid = uids.get(`${kind} ${name}`);
      const row = things.find((thing) => thing.uid === uid)?.row;
      if (uid === undefined || row === undefined) {
        found.push(`${kind} ${name} stands for nothing`);
        continue;
      }
      const { parentRef, groupRef, description } = spec as Readonly<Record<string, { name: string } | undefined>> & {
        description?: string;
      };
      const parent = parentRef ?? groupRef;
      const above = parent === undefined ? root : uids.get(`Group ${parent.name}`);
      if (uid.slice(0, uid.lastIndexOf("/")) !== above) found.push(`${kind} ${name} lies elsewhere: ${uid}`);
      if (description !== undefined && "description" in row && !row.description.startsWith(description))
        found.push(`${kind} ${name} is described as ${row.description}`);
    }
    return found;
  }

  describe(): string {
    return JSON.stringify(
      { objects: this.kube.objects(), things: this.platform.things(), failures: this.#process.failures.map(String) },
      undefined,
      1,
    );
  }

  #start(acquired: "created" | "expired"): OperatorProcess {
    this.#starts += 1;
    const { crash } = this.#fault;
    return new OperatorProcess({
      kube: this.kube,
      platform: this.platform,
      clock: this.clock,
      acquired,
      begin: () => this.#calls++,
      crash: crash,
      onEvent: (reason, name) => this.events.push(`${reason} ${name}`),
    });
  }
}
