import type { Result } from "./result.ts";

type Row = readonly [what: string, figure: string];

/** The figures of one run for a person. */
export function table(result: Result): string {
  const rows = rowsOf(result);
  const width = Math.max(...rows.map(([what]) => what.length));
  return rows.map(([what, figure]) => `${what.padEnd(width)}  ${figure}`).join("\n");
}

/** The figures of several runs beside each other, in Markdown. */
export function markdown(results: readonly Result[]): string {
  const columns = results.map((result) => rowsOf(result));
  const names = columns[0]?.map(([what]) => what) ?? [];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const [head = "", ...rest] = names.map((name, row) => line([name, ...columns.map((rows) => rows[row]?.[1] ?? "")]));
  return [head, line(["---", ...results.map(() => "---:")]), ...rest].join("\n");
}

function rowsOf(result: Result): Row[] {
  const { edit, rest, restart, settings, breakdown } = result;
  const { cpuSeconds } = breakdown;
  const perObject = (seconds: number) => `${((seconds / result.objects) * 1000).toFixed(2)} ms`;
  return [
    ["Objects", String(result.objects)],
    ["Latency of the platform", `${settings.platformLatency} ms`],
    ["Admission policy", settings.admissionPolicy ? "yes" : "no"],
    ["**Creation**", ""],
    ["Objects per second", result.objectsPerSecond.toFixed(0)],
    ["Seconds, all / load alone", `${result.seconds.toFixed(1)} / ${breakdown.loadSeconds.toFixed(1)}`],
    ["Seconds to Ready, p50 / p99", `${result.p50Seconds.toFixed(2)} / ${result.p99Seconds.toFixed(2)}`],
    ["Calls to the platform an object", result.platformCallsPerObject.toFixed(3)],
    ["Writes to Kubernetes an object", result.kubernetesWritesPerObject.toFixed(3)],
    ["Writes of events, in all", String(breakdown.create.eventWrites)],
    ["Operator's CPU an object", perObject(result.operatorCpuSeconds)],
    ["Platform's CPU an object", perObject(cpuSeconds.platform)],
    ["API server's CPU an object", perObject(cpuSeconds.apiServer)],
    ["Bench's CPU an object", perObject(cpuSeconds.bench)],
    ["Operator's memory, at rest / peak", mebibytes(result.operatorRssMiB, breakdown.operatorPeakRssMiB)],
    ["**Edit**", ""],
    ["Milliseconds to Ready, p50 / p99", milliseconds(edit)],
    ["Milliseconds to the platform, p50 / p99", milliseconds(breakdown.editAtPlatform)],
    ["**Rest**", ""],
    ["Seconds, intervals", `${rest.seconds}, ${rest.seconds / settings.resync}`],
    ["Calls to the platform", String(rest.platformCalls)],
    ["Writes to Kubernetes / of the Lease", `${rest.kubernetesWrites} / ${breakdown.rest.leaseWrites}`],
    ["**Restart**", ""],
    ["Seconds to ready", restart.readySeconds.toFixed(2)],
    ["Seconds from ready to the edit made meanwhile", restart.editSeconds.toFixed(2)],
    ["Calls to the platform", String(restart.platformCalls)],
    ["Writes to Kubernetes (one is the edit's)", String(breakdown.restart.kubernetesWrites)],
    ["Operator's memory", `${breakdown.operatorRestartedRssMiB.toFixed(0)} MiB`],
    ["**Deletion**", ""],
    ["Objects per second", (result.objects / result.delete.seconds).toFixed(0)],
    ["Calls to the platform an object", result.delete.platformCallsPerObject.toFixed(3)],
    ["Writes to Kubernetes an object", result.delete.kubernetesWritesPerObject.toFixed(3)],
    ["Operator's CPU an object", perObject(breakdown.deleteOperatorCpuSeconds)],
  ];
}

function milliseconds({ p50Seconds, p99Seconds }: Result["edit"]): string {
  return `${(p50Seconds * 1000).toFixed(0)} / ${(p99Seconds * 1000).toFixed(0)}`;
}

function mebibytes(now: number, peak: number): string {
  return `${now.toFixed(0)} / ${peak.toFixed(0)} MiB`;
}
