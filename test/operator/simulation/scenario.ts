import type { Status } from "#src/api/status.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { kinds as allKinds } from "#src/kinds/kinds.ts";
import type { Acquisition } from "#src/kube/leadership.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { type Manifest, MemoryKube } from "./memory-kube.ts";
import { type FalseStatement, falseStatements } from "./ready-objects.ts";
import { type LostResponse, MemoryPlatform, root } from "./memory-platform.ts";
import { type CrashPoint, leaseMs, OperatorProcess, type ProcessOptions } from "./operator-process.ts";

export interface Fault {
  /**
   * With the admission policy for the finalizer, and no leader before time passes: what is applied until then has our finalizer
   * before any leader has seen it. By default, in the tests of the project `admission`.
   */
  readonly admission?: boolean;
  readonly crash?: CrashPoint;
  readonly lose?: { readonly post: number; readonly how: LostResponse };
}

/** What a run of a scenario shows that the faults are enumerated from. */
export interface Run {
  /** The number of calls until everything was at rest. */
  readonly calls: number;
  readonly posts: number;
  readonly crashed: boolean;
}

export type ScenarioOptions = Pick<
  ProcessOptions,
  "boundary" | "breakGlass" | "checksOwner" | "confirmation" | "liveTenants" | "ownerId" | "serviceAccounts"
> & {
  /** Another cluster with the same clock and platform. */
  readonly beside?: Scenario;
};

/** After a resync, what it showed to be wrong is corrected within this time. */
const correctionMs = 30_000;
/** No scenario with one fault needs longer. */
const timeoutMs = 600_000;

/** A cluster, a platform, and one operator process after another. */
export class Scenario {
  readonly clock: ManualClock;
  readonly kube: MemoryKube;
  readonly platform: MemoryPlatform;
  readonly events: string[] = [];
  readonly failures: unknown[] = [];
  readonly #kinds: readonly Kind[];
  readonly #fault: Fault;
  readonly #options: ScenarioOptions;
  readonly #onStep: NonNullable<ProcessOptions["onStep"]>;
  #current: OperatorProcess | undefined;
  /** The false statements before the last resync. */
  #before: {
    readonly statements: readonly FalseStatement[];
    readonly process: OperatorProcess | undefined;
    readonly at: number;
  } = { statements: [], process: undefined, at: 0 };
  #calls = 0;
  #starts = 0;

  constructor(
    fault: Fault = {},
    onStep: ProcessOptions["onStep"] = () => undefined,
    kinds: readonly Kind[] = allKinds,
    options: ScenarioOptions = {},
  ) {
    this.#options = options;
    this.#kinds = kinds;
    this.clock = options.beside?.clock ?? new ManualClock();
    this.kube = new MemoryKube(this.clock);
    this.platform =
      options.beside?.platform ??
      new MemoryPlatform(
        this.clock,
        kinds.map(({ collection }) => collection),
      );
    this.#fault = fault;
    this.#onStep = onStep;
    if (fault.lose !== undefined) this.platform.lose = fault.lose;
    this.kube.admitsFinalizer = fault.admission ?? process.env["MUSTER_ADMISSION"] === "all";
    if (!this.kube.admitsFinalizer) this.#current = this.#start("created");
  }

  get calls(): number {
    return this.#calls;
  }

  get process(): OperatorProcess {
    this.#current ??= this.#start("created");
    return this.#current;
  }

  get crashed(): boolean {
    return this.#starts > 1;
  }

  /** The run until now. */
  get run(): Run {
    return { calls: this.#calls, posts: this.platform.posts, crashed: this.crashed };
  }

  /** Advances the time until `reached`. A process that died is replaced by a new one. @throws after 10 min. */
  async until(what: string, reached: () => boolean): Promise<void> {
    const end = this.clock.monotonic() + timeoutMs;
    while (!reached() || this.process.dead) {
      if (this.clock.monotonic() > end) throw new Error(`timed out waiting for: ${what}\n${this.describe()}`);
      const { process } = this;
      if (process.dead) {
        await this.clock.advance(leaseMs);
        // Another `until` at the same time may have replaced it: there is one leader.
        if (process === this.process) {
          this.failures.push(...process.failures);
          this.#current = this.#start("expired");
        }
      }
      await this.clock.advance(Math.min(this.clock.untilNext ?? 100, 1_000));
    }
  }

  /** Advances the time by `ms`. */
  async pass(ms: number): Promise<void> {
    this.#current ??= this.#start("created");
    await this.clock.advance(ms);
  }

  /** One complete resync. @throws if what an object that is Ready says was not true before the last one, and is not true yet. */
  async resync(): Promise<void> {
    this.#expectTrue();
    const { process } = this;
    let done = false;
    const resync = process.resync().finally(() => {
      done = true;
    });
    await this.until("the end of the resync", () => done || this.process !== process);
    if (this.process === process) await resync;
    else await this.resync();
  }

  /** What objects say must become true, or be taken back, between two resyncs of one process that reaches the platform. */
  #expectTrue(): void {
    const { kube, platform, clock } = this;
    const found = falseStatements(kube, platform, this.#kinds, this.#options.serviceAccounts);
    const { statements, process, at } = this.#before;
    const hasHadTime = process === this.#current && clock.monotonic() >= at + correctionMs;
    const kept = found.filter(({ text, resource }) =>
      statements.some((before) => before.text === text && before.resource === resource),
    );
    if (hasHadTime && kept.length > 0)
      throw new Error(`S: ${kept.map(({ text }) => text).join("; ")}\n${this.describe()}`);
    this.#before = { statements: found, process: this.#current, at: clock.monotonic() };
  }

  /** Kills the process while it has no call in flight; another one takes over at once, as after a release of the Lease. */
  handOver(): void {
    this.#current?.kill();
    this.failures.push(...(this.#current?.failures ?? []));
    this.#current = this.#start("released");
  }

  /** Kills the process; another one takes over. */
  async restart(): Promise<void> {
    this.process.kill();
    await this.until("a new process", () => true);
  }

  /** How the cluster and the platform differ from: each manifest is Ready and has exactly one resource, which matches it. */
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
    const resources = this.platform.created();
    if (resources.length !== manifests.length) found.push(`${resources.length} resources on the platform`);
    for (const { kind, name, spec } of manifests) {
      const uid = uids.get(`${kind} ${name}`);
      const resource = resources.find((one) => one.uid === uid);
      if (uid === undefined || resource === undefined) {
        found.push(`${kind} ${name} has no resource`);
        continue;
      }
      const { parentRef, groupRef, description } = spec as Readonly<Record<string, { name: string } | undefined>> & {
        description?: string;
      };
      const parent = parentRef ?? groupRef;
      const above = parent === undefined ? root : uids.get(`Group ${parent.name}`);
      if (uid.slice(0, uid.lastIndexOf("/")) !== above) found.push(`${kind} ${name} has the wrong parent: ${uid}`);
      if (description !== undefined && "description" in resource && !resource.description?.startsWith(description))
        found.push(`${kind} ${name} has the description ${resource.description}`);
    }
    return found;
  }

  describe(): string {
    return JSON.stringify(
      {
        objects: this.kube.objects(),
        resources: this.platform.created(),
        failures: this.process.failures.map(String),
      },
      undefined,
      1,
    );
  }

  #start(acquired: Acquisition): OperatorProcess {
    this.#starts += 1;
    const { crash } = this.#fault;
    return new OperatorProcess({
      ...this.#options,
      kinds: this.#kinds,
      kube: this.kube,
      platform: this.platform,
      clock: this.clock,
      acquired,
      onCall: () => this.#calls++,
      crash,
      onStep: this.#onStep,
      onEvent: (reason, name) => this.events.push(`${reason} ${name}`),
    });
  }
}
