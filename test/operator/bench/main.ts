import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, type Program } from "#test/support/bench/bundle.ts";
import { runBenchmark } from "#test/support/bench/benchmark.ts";
import { describeMachine } from "#test/support/bench/machine.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { writeJson } from "#test/support/bench/write-json.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { markdown, operationsTable, table } from "./report.ts";
import type { Result } from "./result.ts";
import { run } from "./run.ts";

const name = "bench";
const manifest = "deploy/kustomize/base/deployment.yaml";

await runBenchmark({ name, usage, manifest, readOptions, measure });

async function measure(options: BenchOptions, program: Program): Promise<void> {
  const { page, against } = options;
  if (page !== undefined) {
    const results = await measureAll(
      pageRuns(options).map((one) => ({ name: "", options: one, operator: program })),
      program,
      options,
    );
    return writeResultsPage(page, name, pageOf(results));
  }
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-reference-"));
  try {
    const reference =
      against === undefined ? [] : [{ name: "reference", options, operator: await bundle(folder, manifest, against) }];
    const builds = [...reference, { name: "this tree", options, operator: program }];
    // In turn: a machine whose speed changes favours neither.
    await measureAll(Array.from({ length: options.runs }, () => builds).flat(), program, options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Measurement {
  readonly name: string;
  readonly options: BenchOptions;
  readonly operator: Program;
}

async function measureAll(
  measurements: readonly Measurement[],
  platform: Program,
  { json }: BenchOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [number, one] of measurements.entries()) {
    const progress = (phase: string) => process.stderr.write(`${one.name}: ${phase}\n`);
    const result = await run(one.options, { platform, operator: one.operator }, progress);
    process.stdout.write(`${one.name}\n${table(result)}\n\n`);
    results.push(result);
    const named = results.map((each, index) => ({ name: measurements[index]?.name, ...each }));
    if (json !== undefined) writeJson(json, measurements.length === 1 ? result : named);
    const names = measurements.slice(0, number + 1).map((each) => each.name);
    process.stdout.write(`${operationsTable(names, results)}\n\n`);
  }
  return results;
}

function pageRuns(options: BenchOptions): BenchOptions[] {
  return [900, 4500].flatMap((objects) =>
    [0, 20].flatMap((platformLatency) =>
      [false, true].map((admissionPolicy) => ({ ...options, objects, platformLatency, admissionPolicy })),
    ),
  );
}

/** The machine, and a table for each number of objects. */
function pageOf(results: readonly Result[]): string[] {
  const machines = results.slice(0, 1).map(({ machine }) => `${describeMachine(machine)}.`);
  const sizes = [...new Set(results.map(({ objects }) => objects))];
  return [...machines, ...sizes.map((size) => markdown(results.filter(({ objects }) => objects === size)))];
}
