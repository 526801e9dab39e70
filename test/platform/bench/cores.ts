import { spawnSync } from "node:child_process";

/** With taskset(1), the platform and the load each have a core of their own; without it, the scheduler decides. */
const hasTaskset = spawnSync("taskset", ["--version"]).status === 0;
const loadCore = "0";
export const platformCore = "1";

/** Moves this process, and every process that it starts from now on, to the core of the load. */
export function moveToLoadCore(): void {
  if (hasTaskset) spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", loadCore, String(process.pid)]);
}

/** The prefix that makes a command run on the platform's core. */
export const onPlatformCore: readonly string[] = hasTaskset ? ["taskset", "--cpu-list", platformCore] : [];
