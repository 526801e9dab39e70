import { count, type Figure, figure, mebibytes, milliseconds, percent } from "#test/support/bench/outcome.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import {
  coreSeconds,
  cpuSeconds,
  memoryMiB,
  resetPeakMemory,
  writtenBytes,
} from "#test/support/bench/process-usage.ts";
import { platformCore } from "./cores.ts";
import type { Subject } from "./subject.ts";

/** What calls to a platform cost. */
export interface Measurement {
  readonly calls: number;
  /** CPU time of the platform's process per call. */
  readonly cpuMilliseconds: number;
  /** The bytes per call that the platform's process has given to write calls: the database and the response. */
  readonly written: number;
  readonly figures: readonly Figure[];
}

export const latencyName = "p50 / p99";
/** Resident memory of the platform's process: after the case, and its peak during the case. */
export const memoryName = "memory, after / peak";
export const rateName = "calls per second";
/** The share of the platform's core that other processes used during the case. */
export const othersName = "other processes";

/** Calls a platform for some time. @throws {Error} unless the status of each response is 200 */
export async function measure(subject: Subject, name: string, seconds: number): Promise<Measurement> {
  const { pid, callers } = subject;
  const callOf = await subject.callsOf(name);
  await resetPeakMemory(pid);
  const before = [await cpuSeconds(pid), await coreSeconds(platformCore)] as const;
  const writtenBefore = await writtenBytes(pid);
  const load = await callers.run(seconds, callOf);
  const cpu = (await cpuSeconds(pid)) - before[0];
  const core = (await coreSeconds(platformCore)) - before[1];
  const memory = await memoryMiB(pid);
  const calls = load.latencies.length;
  const written = ((await writtenBytes(pid)) - writtenBefore) / calls;
  const cpuMilliseconds = (cpu * 1_000) / calls;
  return {
    calls,
    cpuMilliseconds,
    written,
    figures: [
      count(rateName, Math.round(calls / load.seconds)),
      milliseconds("CPU per call", cpuMilliseconds),
      figure("written per call", written / 1_024, "KiB"),
      milliseconds(latencyName, [percentile(load.latencies, 0.5), percentile(load.latencies, 0.99)]),
      mebibytes(memoryName, [memory.now, memory.peak]),
      percent(othersName, Math.max(0, core - cpu) / load.seconds),
    ],
  };
}
