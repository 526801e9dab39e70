import type { Program } from "#test/support/bench/bundle.ts";
import { runBenchmark } from "#test/support/bench/benchmark.ts";
import { describeMachine } from "#test/support/bench/machine.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { writeJson } from "#test/support/bench/write-json.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { markdown, table } from "./report.ts";
import type { Result } from "./result.ts";
import { run } from "./run.ts";

const name = "bench";
const manifest = "deploy/kustomize/base/deployment.yaml";

await runBenchmark({ name, usage, manifest, readOptions, measure });

async function measure(options: BenchOptions, program: Program): Promise<void> {
  const { page, json } = options;
  const results: Result[] = [];
  for (const one of page === undefined ? [options] : pageRuns(options)) {
    const result = await run(one, program, (phase) => process.stderr.write(`${phase}\n`));
    process.stdout.write(`${table(result)}\n\n`);
    results.push(result);
    if (json !== undefined) writeJson(json, page === undefined ? result : results);
  }
  if (page !== undefined) await writeResultsPage(page, name, pageOf(results));
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
