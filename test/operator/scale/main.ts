import { runBenchmark } from "#test/support/bench/benchmark.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { readOptions, type ScaleOptions, usage } from "./options.ts";
import { markdown, table } from "./report.ts";
import { addResult, readResults } from "./results.ts";
import { runScenario } from "./run-scenario.ts";

const name = "bench:scale";
const manifest = "deploy/kustomize/base/deployment.yaml";

await runBenchmark({ name, usage, manifest, readOptions, measure });

async function measure(options: ScaleOptions, program: Program): Promise<void> {
  const { scenarios, json, page } = options;
  for (const scenario of scenarios) {
    const startedAt = performance.now();
    const progress = (phase: string) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      process.stderr.write(`${scenario}, ${seconds} s: ${phase}\n`);
    };
    const outcome = await runScenario(scenario, options, program, progress);
    process.stdout.write(`${table(outcome)}\n\n`);
    if (json !== undefined) await addResult(json, outcome);
  }
  if (page === undefined || json === undefined) return;
  const { machine, outcomes } = await readResults(json);
  await writeResultsPage(page, name, markdown(machine, outcomes));
}
