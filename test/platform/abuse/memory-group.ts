import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The files of cgroup v2, and those of v1 where the controller of memory still belongs to it. */
const hierarchies = [
  { root: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes" },
  { root: "/sys/fs/cgroup", limit: "memory.max" },
];

/** A cgroup that limits the memory of a process, as a container runtime makes one for each container. */
export class MemoryGroup {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @throws {Error} if this user may not create a cgroup */
  static async create(mebibytes: number): Promise<MemoryGroup> {
    for (const { root, limit } of hierarchies) {
      const path = join(root, `muster-abuse-${process.pid}`);
      if (!existsSync(root)) continue;
      try {
        await mkdir(path, { recursive: true });
        await writeFile(join(path, limit), String(mebibytes * 1024 * 1024));
        return new MemoryGroup(path);
      } catch (error) {
        throw new Error(`a cgroup that limits the memory cannot be created at ${path}: run as root`, { cause: error });
      }
    }
    throw new Error("there is no cgroup hierarchy at /sys/fs/cgroup");
  }

  /** The prefix that makes a command run in the group. */
  get launcher(): readonly string[] {
    return ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', join(this.#path, "cgroup.procs")];
  }

  /** Removes the group, whose processes have ended. */
  async remove(): Promise<void> {
    await rmdir(this.#path);
  }
}
