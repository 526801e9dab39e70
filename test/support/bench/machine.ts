import { cpus, totalmem } from "node:os";

/** One line about the machine that a benchmark runs on: processor, cores, memory and the version of Node. */
export function describeMachine(): string {
  const processor = cpus()[0]?.model ?? "unknown";
  const gibibytes = (totalmem() / 2 ** 30).toFixed(0);
  return `${processor}, ${cpus().length} cores, ${gibibytes} GiB, Node ${process.versions.node}`;
}
