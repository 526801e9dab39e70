import { writeFile } from "node:fs/promises";
import { percentile } from "#test/support/bench/percentile.ts";
import { coreSeconds, cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";
import { platformCore } from "./cores.ts";
import type { Figure } from "./figures.ts";
import type { Subject } from "./subject.ts";

export type Measurement = Omit<Figure, "backend" | "size" | "case"> & { readonly calls: number };

/** Calls a platform for some time. @throws {Error} unless the status of each response is 200 */
export async function measure(subject: Subject, name: string, seconds: number): Promise<Measurement> {
  const { pid, callers } = subject;
  const calls = await subject.callsOf(name);
  await resetPeakMemory(pid);
  const before = [await cpuSeconds(pid), await coreSeconds(platformCore)] as const;
  const load = await callers.run(seconds, calls);
  const cpu = (await cpuSeconds(pid)) - before[0];
  const core = (await coreSeconds(platformCore)) - before[1];
  const memory = await memoryMiB(pid);
  const count = load.latencies.length;
  return {
    calls: count,
    requestsPerSecond: count / load.seconds,
    p50Milliseconds: percentile(load.latencies, 0.5),
    p99Milliseconds: percentile(load.latencies, 0.99),
    cpuMillisecondsPerCall: (cpu * 1_000) / count,
    rssMiB: memory.now,
    peakRssMiB: memory.peak,
    othersShare: Math.max(0, core - cpu) / load.seconds,
  };
}

/** The kernel measures the peak again from now on; see proc_pid_clear_refs(5). */
async function resetPeakMemory(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
}
