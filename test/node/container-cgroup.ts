import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { containerStatuses } from "./container-statuses.ts";
import type { Isolation } from "./isolation.ts";

/** What the kernel counts of a container. The memory is what its limit counts, in MiB. */
export interface ContainerUsage {
  /** What the kubelet reports, and evicts by: without pages of files that were not used lately. */
  readonly workingSet: number;
  /** Without any page of a file: what the kernel can take back from nobody. */
  readonly rss: number;
  /** The most that the container had, with pages of files, which the kernel takes back before it kills. */
  readonly peak: number;
  /** Since the container started, like those that follow. */
  readonly cpuSeconds: number;
  /** The periods of 100 ms in which the container had used up its limit of CPU. */
  readonly throttledPeriods: number;
  readonly throttledSeconds: number;
}

/** Where a version of cgroups has what is read. Numbers are multiplied by the unit. */
interface Layout {
  readonly memory: { readonly root: string; readonly usage: string; readonly peak: string; readonly limit: string };
  readonly inactive: string;
  readonly rss: string;
  readonly cpu: { readonly file: string; readonly key: string; readonly unit: number };
  readonly throttled: { readonly file: string; readonly key: string; readonly unit: number };
}

const cgroups = "/sys/fs/cgroup";
const versions: readonly Layout[] = [
  {
    memory: {
      root: "memory",
      usage: "memory.usage_in_bytes",
      peak: "memory.max_usage_in_bytes",
      limit: "memory.limit_in_bytes",
    },
    inactive: "total_inactive_file",
    rss: "total_rss",
    cpu: { file: "cpuacct/FOLDER/cpuacct.usage", key: "", unit: 1e-9 },
    throttled: { file: "cpu/FOLDER/cpu.stat", key: "throttled_time", unit: 1e-9 },
  },
  {
    memory: { root: "", usage: "memory.current", peak: "memory.peak", limit: "memory.max" },
    inactive: "inactive_file",
    rss: "anon",
    cpu: { file: "FOLDER/cpu.stat", key: "usage_usec", unit: 1e-6 },
    throttled: { file: "FOLDER/cpu.stat", key: "throttled_usec", unit: 1e-6 },
  },
];

/** The cgroup of a running container, of version 1 or 2. */
export class ContainerCgroup {
  readonly #folder: string;
  readonly #layout: Layout;
  /** The one that was set, in MiB. */
  #limit = Number.POSITIVE_INFINITY;

  private constructor(folder: string, layout: Layout) {
    this.#folder = folder;
    this.#layout = layout;
  }

  /** @throws {Error} if the pod has no such container, or it does not run */
  static async find({ cgroup }: Isolation, pod: KubeObject, name: string): Promise<ContainerCgroup> {
    const status = containerStatuses(pod).find((each) => each.name === name);
    const id = status?.containerID?.replace("containerd://", "");
    for (const layout of versions)
      for await (const folder of glob(`**/${id}`, { cwd: join(cgroups, layout.memory.root, cgroup) }))
        return new ContainerCgroup(join(cgroup, folder), layout);
    throw new Error(`there is no cgroup of the container ${name} of ${pod.metadata.name}`);
  }

  async read(): Promise<ContainerUsage> {
    const { memory, inactive, rss, cpu, throttled } = this.#layout;
    const inMemory = (file: string) => `${memory.root}/FOLDER/${file}`;
    const mebibytes = 1 / 2 ** 20;
    const usage = await this.#number(inMemory(memory.usage), "", mebibytes);
    const unused = await this.#number(inMemory("memory.stat"), inactive, mebibytes);
    return {
      workingSet: usage - unused,
      rss: await this.#number(inMemory("memory.stat"), rss, mebibytes),
      peak: await this.#number(inMemory(memory.peak), "", mebibytes),
      cpuSeconds: await this.#number(cpu.file, cpu.key, cpu.unit),
      throttledPeriods: await this.#number(throttled.file, "nr_throttled", 1),
      throttledSeconds: await this.#number(throttled.file, throttled.key, throttled.unit),
    };
  }

  /**
   * Lowers the limit of the memory to the least that the kernel accepts now: when the container needs more, the kernel kills it.
   * The next container of this name has the pod's limit again.
   * @returns the limit, in MiB
   */
  async lowerLimit(): Promise<number> {
    const { root, limit } = this.#layout.memory;
    for (let lower = (await this.read()).rss; lower < this.#limit; lower += 1 / 16)
      try {
        await writeFile(join(cgroups, root, this.#folder, limit), String(Math.ceil(lower * 2 ** 20)));
        this.#limit = lower;
      } catch (error) {
        // Version 1 refuses a limit that is below what the kernel cannot take back; version 2 kills.
        if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
      }
    return this.#limit;
  }

  /** @param key of a line; empty if the file has only the number */
  async #number(file: string, key: string, unit: number): Promise<number> {
    const text = await readFile(join(cgroups, file.replace("FOLDER", this.#folder)), "utf8");
    return Number(new RegExp(`^${key} ?(\\d+)$`, "m").exec(text)?.[1]) * unit;
  }
}
