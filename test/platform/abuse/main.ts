import type { Program } from "#test/support/bench/bundle.ts";
import { runBenchmark } from "#test/support/bench/benchmark.ts";
import { describeMachine, thisMachine } from "#test/support/bench/machine.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { writeJson } from "#test/support/bench/write-json.ts";
import { moveToLoadCore } from "#test/platform/bench/cores.ts";
import { type AbuseFigure, missedGoals } from "./figures.ts";
import { type AbuseOptions, readOptions, usage } from "./options.ts";
import { lines, markdown } from "./report.ts";
import { run } from "./run.ts";

const name = "abuse:platform";
/** Its memory limit is 512 MiB, of which the image gives half to the heap. */
const manifest = "deploy/kustomize/overlays/try-out/platform/stateful-set.yaml";

await runBenchmark({ name, usage, manifest, readOptions, measure });

async function measure(options: AbuseOptions, program: Program): Promise<void> {
  const { backend, seconds, json, page } = options;
  moveToLoadCore();
  const figures: AbuseFigure[] = [];
  const result = { machine: describeMachine(thisMachine()), backend, seconds, figures };
  await run(program, options, (figure) => {
    process.stdout.write(`${lines(figure)}\n`);
    figures.push(figure);
    if (json !== undefined) writeJson(json, result);
  });
  if (page !== undefined) await writeResultsPage(page, name, markdown(result));
  const missed = figures.filter((figure) => missedGoals(figure).length > 0);
  if (missed.length === 0) return;
  process.stderr.write(`${name}: goals were missed during ${missed.map(({ kind }) => kind).join(", ")}\n`);
  process.exitCode = 1;
}
