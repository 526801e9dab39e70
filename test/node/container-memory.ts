import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Isolation } from "./isolation.ts";

/** What the limit of a container counts, in MiB. */
export interface ContainerMemory {
  /** What the kubelet reports, and evicts by: without pages of files that were not used lately. */
  readonly workingSet: number;
  /** The most that the container had, with pages of files, which the kernel takes back before it kills. */
  readonly peak: number;
}

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Reads the memory of a pod's container from its cgroup, of version 1 or 2. */
export async function containerMemory({ cgroup }: Isolation, pod: KubeObject, name: string): Promise<ContainerMemory> {
  const { containerStatuses, initContainerStatuses = [] } = pod["status"];
  const status = [...containerStatuses, ...initContainerStatuses].find((each) => each.name === name);
  const id = status.containerID.replace("containerd://", "");
  for (const [root, usage, peak, inactive] of [
    ["/sys/fs/cgroup/memory", "memory.usage_in_bytes", "memory.max_usage_in_bytes", "total_inactive_file"],
    ["/sys/fs/cgroup", "memory.current", "memory.peak", "inactive_file"],
  ] as const)
    for await (const folder of glob(`**/${id}`, { cwd: join(root, cgroup) })) {
      const read = async (file: string) => readFile(join(root, cgroup, folder, file), "utf8");
      const files = new RegExp(`^${inactive} (\\d+)$`, "m").exec(await read("memory.stat"))?.[1];
      return {
        workingSet: mebibytes(Number(await read(usage)) - Number(files)),
        peak: mebibytes(Number(await read(peak))),
      };
    }
  throw new Error(`there is no cgroup of the container ${name} of ${pod.metadata.name}`);
}
