import { mkdir } from "node:fs/promises";
import type { Program } from "#test/support/bench/bundle.ts";
import { runBenchmark } from "#test/support/bench/benchmark.ts";
import { describeMachine, thisMachine } from "#test/support/bench/machine.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { writeJson } from "#test/support/bench/write-json.ts";
import { moveToLoadCore } from "./cores.ts";
import { type Figures, merged, readFigures } from "./figures.ts";
import { type PlatformBenchOptions, readOptions, usage } from "./options.ts";
import { line, markdown } from "./report.ts";
import { run } from "./run.ts";

const name = "bench:platform";
const manifest = "deploy/kustomize/overlays/try-out/platform/stateful-set.yaml";

await runBenchmark({ name, usage, manifest, readOptions, measure });

async function measure(options: PlatformBenchOptions, program: Program): Promise<void> {
  const { data, json, page } = options;
  moveToLoadCore();
  const none: Figures = { machine: describeMachine(thisMachine()), callers: options.callers, fills: [], figures: [] };
  let figures = (json === undefined ? undefined : await readFigures(json)) ?? none;
  if (data !== undefined) await mkdir(data, { recursive: true });
  for (const backend of options.backends)
    for (const size of options.sizes)
      await run(program, { ...options, backend, size }, (found) => {
        const isFill = "fill" in found;
        process.stdout.write(
          isFill ? `${backend} ${size} filled in ${found.fill.seconds.toFixed(1)} s\n` : `${line(found.figure)}\n`,
        );
        figures = merged(figures, { ...none, ...(isFill ? { fills: [found.fill] } : { figures: [found.figure] }) });
        if (json !== undefined) writeJson(json, figures);
      });
  if (page !== undefined) await writeResultsPage(page, name, markdown(figures));
}
