import { readFile, writeFile } from "node:fs/promises";

/** Linux counts a process's CPU time in hundredths of a second (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

/** CPU time of a process: all threads, user and kernel mode. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Time since the process started. */
export async function ageSeconds(pid: number): Promise<number> {
  const [fields, uptime] = await Promise.all([statOf(pid), readFile("/proc/uptime", "utf8")]);
  return Number(uptime.split(" ")[0]) - Number(fields[19]) / ticksPerSecond;
}

/** Resident memory in MiB: current and peak. */
export async function memoryMiB(pid: number): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

/**
 * The bytes that a process has given to write calls since it started: files and sockets. `write_bytes` of the kernel counts whole folios,
 * which with ext4 and Linux 6.18 are four times what the disk receives of a SQLite file with random writes.
 */
export async function writtenBytes(pid: number): Promise<number> {
  return Number(/^wchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, "utf8"))?.[1]);
}

/** The kernel measures the peak again from now on; see proc_pid_clear_refs(5). */
export async function resetPeakMemory(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
}

/** CPU time of a core: all processes. */
export async function coreSeconds(core: string): Promise<number> {
  const line = new RegExp(`^cpu${core} (.*)$`, "m").exec(await readFile("/proc/stat", "utf8"))?.[1] ?? "";
  // proc_stat(5): the fourth and the fifth are idle time.
  const busy = line.split(" ").filter((_, field) => field !== 3 && field !== 4);
  return busy.slice(0, 6).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}

/** The fields of proc_pid_stat(5) from the third on. The second, the name of the program, can contain spaces. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
