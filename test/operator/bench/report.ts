import { markdownTable } from "#test/support/bench/markdown-table.ts";
import type { Result } from "./result.ts";

type Row = readonly [name: string, figure: string];

/** The figures of one run, for a terminal. */
export function table(result: Result): string {
  const rows = rowsOf(result);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, figure]) => `${name.padEnd(width)}  ${figure}`).join("\n");
}

/** The figures of several runs, one column for each run, in Markdown. */
export function markdown(results: readonly Result[]): string {
  const columns = results.map((result) => rowsOf(result));
  const names = columns[0]?.map(([what]) => what) ?? [];
  const [head = [], ...rows] = names.map((name, row) => [name, ...columns.map((column) => column[row]?.[1] ?? "")]);
  return markdownTable(head, rows);
}

/** What each operation costs, in Markdown: a column for each run, with its calls, its writes and its CPU time per object. */
export function operationsTable(names: readonly string[], results: readonly Result[]): string {
  const rows = (results[0]?.operations ?? []).map(({ operation, kind, pace, objects }, row) => [
    `${operation} ${objects} × ${kind}, ${pace}`,
    ...results.map(({ operations }) => {
      const cost = operations[row];
      if (cost === undefined) return "";
      const { platformCallsPerObject: calls, kubernetesWritesPerObject: writes } = cost;
      return `${calls.toFixed(2)} / ${writes.toFixed(2)} / ${cost.operatorCpuMillisecondsPerObject.toFixed(1)} ms`;
    }),
  ]);
  const whole = (name: string, figures: (result: Result) => readonly [calls: number, writes: number, cpu: number]) => [
    name,
    ...results.map((result) => {
      const [calls, writes, cpuSeconds] = figures(result);
      const cpu = ((cpuSeconds / result.objects) * 1000).toFixed(1);
      return `${calls.toFixed(2)} / ${writes.toFixed(2)} / ${cpu} ms`;
    }),
  ];
  return markdownTable(
    ["Calls / writes / operator's CPU per object", ...names],
    [
      ...rows,
      whole("create the whole tree, burst", (result) => [
        result.platformCallsPerObject,
        result.kubernetesWritesPerObject,
        result.operatorCpuSeconds,
      ]),
      whole("delete the whole tree, burst", ({ delete: deleted, breakdown }) => [
        deleted.platformCallsPerObject,
        deleted.kubernetesWritesPerObject,
        breakdown.deleteOperatorCpuSeconds,
      ]),
      whole("one resync at rest (calls and writes in total)", ({ rest, settings, breakdown }) => {
        const resyncs = rest.seconds / settings.resync;
        return [
          rest.platformCalls / resyncs,
          rest.kubernetesWrites / resyncs,
          breakdown.restOperatorCpuSeconds / resyncs,
        ];
      }),
    ],
  );
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
    ["Seconds, total / load only", `${result.seconds.toFixed(1)} / ${breakdown.loadSeconds.toFixed(1)}`],
    ["Seconds to Ready, p50 / p99", `${result.p50Seconds.toFixed(2)} / ${result.p99Seconds.toFixed(2)}`],
    ["Calls to the platform per object", result.platformCallsPerObject.toFixed(3)],
    ["Writes to Kubernetes per object", result.kubernetesWritesPerObject.toFixed(3)],
    ["Writes of events, total", String(breakdown.create.eventWrites)],
    ["Operator's CPU per object", perObject(result.operatorCpuSeconds)],
    ["Platform's CPU per object", perObject(cpuSeconds.platform)],
    ["API server's CPU per object", perObject(cpuSeconds.apiServer)],
    ["Benchmark's CPU per object", perObject(cpuSeconds.bench)],
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
    ["Seconds from ready until the edit made during the restart", restart.editSeconds.toFixed(2)],
    ["Calls to the platform", String(restart.platformCalls)],
    ["Writes to Kubernetes (one is for the edit)", String(breakdown.restart.kubernetesWrites)],
    ["Operator's memory", `${breakdown.operatorRestartedRssMiB.toFixed(0)} MiB`],
    ["**Deletion**", ""],
    ["Objects per second", (result.objects / result.delete.seconds).toFixed(0)],
    ["Calls to the platform per object", result.delete.platformCallsPerObject.toFixed(3)],
    ["Writes to Kubernetes per object", result.delete.kubernetesWritesPerObject.toFixed(3)],
    ["Operator's CPU per object", perObject(breakdown.deleteOperatorCpuSeconds)],
  ];
}

function milliseconds({ p50Seconds, p99Seconds }: Result["edit"]): string {
  return `${(p50Seconds * 1000).toFixed(0)} / ${(p99Seconds * 1000).toFixed(0)}`;
}

function mebibytes(now: number, peak: number): string {
  return `${now.toFixed(0)} / ${peak.toFixed(0)} MiB`;
}
