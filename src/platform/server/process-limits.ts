import { readFileSync } from "node:fs";
import { totalmem } from "node:os";

/** What this process may use. */
export interface ProcessLimits {
  /** Bytes: those of its cgroup, or those of the machine. */
  readonly memory: number;
  /** Open files, sockets included. */
  readonly openFiles: number;
}

/** Reads what this process may use. Container runtimes set it before the process starts. */
export function readProcessLimits(): ProcessLimits {
  return {
    // Node reads memory.max and memory.high of cgroup v2, and memory.limit_in_bytes of v1.
    memory: memoryLimit(process.constrainedMemory(), totalmem()),
    openFiles: openFilesLimit(readLimits()),
  };
}

/** @param constrained the limit of the cgroup: 0, or more than the machine has, where there is none */
export function memoryLimit(constrained: number, machine: number): number {
  return constrained > 0 && constrained < machine ? constrained : machine;
}

/** @param text of `/proc/self/limits`; undefined where there is none, as on macOS */
export function openFilesLimit(text: string | undefined): number {
  const soft = /^Max open files +(\d+)/m.exec(text ?? "")?.[1];
  return soft === undefined ? Infinity : Number(soft);
}

function readLimits(): string | undefined {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return undefined;
  }
}
