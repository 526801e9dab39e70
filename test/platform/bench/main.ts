import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, type Program } from "#test/support/bench/bundle.ts";
import { runBenchmark } from "#test/support/bench/benchmark.ts";
import { describeMachine, thisMachine } from "#test/support/bench/machine.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { writeJson } from "#test/support/bench/write-json.ts";
import { compare } from "./compare.ts";
import { moveToLoadCore } from "./cores.ts";
import { type Figures, merged, readFigures } from "./figures.ts";
import { type PlatformBenchOptions, readOptions, usage } from "./options.ts";
import { comparisonLine, line, markdown } from "./report.ts";
import { run } from "./run.ts";

const name = "bench:platform";
const manifest = "deploy/kustomize/overlays/try-out/platform/stateful-set.yaml";

await runBenchmark({ name, usage, manifest, readOptions, measure });

async function measure(options: PlatformBenchOptions, program: Program): Promise<void> {
  moveToLoadCore();
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-data-"));
  try {
    const { data = folder, against } = options;
    await (against === undefined ? measureAll(options, program, data) : compareAll(options, program, data, against));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureAll(options: PlatformBenchOptions, program: Program, data: string): Promise<void> {
  const { json, page } = options;
  const none: Figures = { machine: describeMachine(thisMachine()), callers: options.callers, fills: [], figures: [] };
  let figures = (json === undefined ? undefined : await readFigures(json)) ?? none;
  await mkdir(data, { recursive: true });
  for (const backend of options.backends)
    for (const size of options.sizes)
      await run(program, { ...options, data, backend, size }, (found) => {
        const isFill = "fill" in found;
        process.stdout.write(
          isFill ? `${backend} ${size} filled in ${found.fill.seconds.toFixed(1)} s\n` : `${line(found.figure)}\n`,
        );
        figures = merged(figures, { ...none, ...(isFill ? { fills: [found.fill] } : { figures: [found.figure] }) });
        if (json !== undefined) writeJson(json, figures);
      });
  if (page !== undefined) await writeResultsPage(page, name, markdown(figures));
}

async function compareAll(
  options: PlatformBenchOptions,
  program: Program,
  data: string,
  against: string,
): Promise<void> {
  for (const who of ["candidate", "reference"]) await mkdir(join(data, who), { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-reference-"));
  try {
    const reference = await bundle(folder, manifest, against);
    for (const backend of options.backends)
      for (const size of options.sizes)
        await compare(program, { ...options, data, backend, size, reference, tree: against }, (comparison) =>
          process.stdout.write(`${backend} ${size}  ${comparisonLine(comparison)}\n`),
        );
  } finally {
    await rm(folder, { recursive: true });
  }
}
