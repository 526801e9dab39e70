import { spawnSync } from "node:child_process";

/** Where taskset(1) is, each side has a core of its own; elsewhere the system decides. */
const hasTaskset = spawnSync("taskset", ["--version"]).status === 0;
const loadCore = "0";
export const platformCore = "1";

/** Puts this process, and what it starts from now on, on the core of the load. */
export function takeLoadCore(): void {
  if (hasTaskset) spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", loadCore, String(process.pid)]);
}

/** The command that runs another one on the platform's core. */
export function onPlatformCore(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return hasTaskset ? ["taskset", "--cpu-list", platformCore, ...command] : command;
}
