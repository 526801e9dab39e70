import { cpus, totalmem } from "node:os";

/** The machine that a benchmark ran on. */
export interface Machine {
  readonly cores: number;
  readonly memoryGiB: number;
  readonly processor: string;
}

export function thisMachine(): Machine {
  return { cores: cpus().length, memoryGiB: totalmem() / 2 ** 30, processor: cpus()[0]?.model ?? "unknown" };
}

/** One line for a report: processor, cores, memory and the version of Node. */
export function describeMachine({ processor, cores, memoryGiB }: Machine): string {
  return `${processor}, ${cores} cores, ${memoryGiB.toFixed(0)} GiB, Node ${process.versions.node}`;
}
