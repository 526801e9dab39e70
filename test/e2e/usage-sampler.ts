import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerCgroup, ContainerUsage } from "#test/node/container-cgroup.ts";

/** Containers that do the same. */
interface Sampled {
  readonly name: string;
  readonly cgroups: readonly ContainerCgroup[];
}

/** What a container used while something happened; of several containers, the most that one of them used. In MiB and cores. */
export interface Usage {
  readonly workingSet: number;
  readonly rss: number;
  /** Since the container started. */
  readonly peak: number;
  readonly meanCores: number;
  /** Between two samples. */
  readonly mostCores: number;
  readonly throttledSeconds: number;
}

interface Sample {
  /** In seconds. */
  readonly time: number;
  readonly usage: ContainerUsage;
}

/** Reads what containers use, in intervals, while something happens. */
export class UsageSampler {
  readonly #sampled: readonly Sampled[];
  readonly #intervalMs: number;

  constructor(sampled: readonly Sampled[], intervalMs: number) {
    this.#sampled = sampled;
    this.#intervalMs = intervalMs;
  }

  /** @returns the usage of the containers, by their name */
  async during(work: Promise<unknown>): Promise<ReadonlyMap<string, Usage>> {
    const samples = new Map(this.#sampled.flatMap(({ cgroups }) => cgroups).map((cgroup) => [cgroup, [] as Sample[]]));
    const read = async () => {
      for (const [cgroup, taken] of samples)
        taken.push({ time: performance.now() / 1_000, usage: await cgroup.read() });
    };
    const ended = work.then(() => true);
    do await read();
    while (!(await Promise.race([ended, sleep(this.#intervalMs, false)])));
    await read();
    return new Map(
      this.#sampled.map(({ name, cgroups }) => [name, mostOf(cgroups.map((one) => usageIn(samples.get(one) ?? [])))]),
    );
  }
}

function usageIn(taken: readonly Sample[]): Usage {
  const largest = (key: keyof ContainerUsage) => Math.max(...taken.map(({ usage }) => usage[key]));
  const increase = (key: keyof ContainerUsage) => largest(key) - (taken[0]?.usage[key] ?? 0);
  const cores = taken.slice(1).map(({ time, usage }, index) => {
    const before = taken[index];
    return before === undefined ? 0 : (usage.cpuSeconds - before.usage.cpuSeconds) / (time - before.time);
  });
  return {
    workingSet: largest("workingSet"),
    rss: largest("rss"),
    peak: largest("peak"),
    meanCores: increase("cpuSeconds") / ((taken.at(-1)?.time ?? 0) - (taken[0]?.time ?? 0)),
    mostCores: Math.max(...cores),
    throttledSeconds: increase("throttledSeconds"),
  };
}

function mostOf(containers: readonly Usage[]): Usage {
  const most = (key: keyof Usage) => Math.max(...containers.map((one) => one[key]));
  return {
    workingSet: most("workingSet"),
    rss: most("rss"),
    peak: most("peak"),
    meanCores: most("meanCores"),
    mostCores: most("mostCores"),
    throttledSeconds: most("throttledSeconds"),
  };
}
