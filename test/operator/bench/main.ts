// Measures the operator with everything on this machine, prints a table and writes the figures as JSON.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { bundle } from "#test/support/bench/bundle.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { markdown, table } from "./report.ts";
import type { Result } from "./result.ts";
import { run } from "./run.ts";

const pageStart = "<!-- figures: written by npm run bench -- --page -->";
const pageEnd = "<!-- end of figures -->";

// Servers end with this process, but not where a signal ends it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    process.stderr.write(`bench: ended by ${signal}\n`);
    process.exit(1);
  });
try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") process.stdout.write(usage);
  else await main(options);
} catch (error) {
  process.stderr.write(`bench: ${inspect(error)}\n`);
  // What is still running ends with this process.
  process.exit(1);
}

async function main(options: BenchOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-"));
  try {
    const program = await bundle(folder);
    const results: Result[] = [];
    for (const one of options.page === undefined ? [options] : pageRuns(options)) {
      const result = await run(one, program, (phase) => process.stderr.write(`${phase}\n`));
      process.stdout.write(`${table(result)}\n\n`);
      results.push(result);
      const found = options.page === undefined ? result : results;
      if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(found, undefined, 2)}\n`);
    }
    if (options.page !== undefined) await writePage(options.page, results);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pageRuns(options: BenchOptions): BenchOptions[] {
  return [900, 4500].flatMap((objects) =>
    [0, 20].flatMap((platformLatency) =>
      [false, true].map((admissionPolicy) => ({ ...options, objects, platformLatency, admissionPolicy })),
    ),
  );
}

/** Puts the tables between the page's two marks. */
async function writePage(page: string, results: readonly Result[]): Promise<void> {
  const text = await readFile(page, "utf8");
  const [start, end] = [text.indexOf(pageStart), text.indexOf(pageEnd)];
  if (start < 0 || end < start) throw new Error(`--page: ${page} has no lines "${pageStart}" and "${pageEnd}"`);
  const [machine] = results.map((result) => result.machine);
  const where = `${machine?.processor}, ${machine?.cores} cores, ${machine?.memoryGiB.toFixed(0)} GiB, Node ${process.versions.node}.`;
  const sizes = [...new Set(results.map((result) => result.objects))];
  const tables = sizes.map((objects) => markdown(results.filter((result) => result.objects === objects)));
  const figures = [pageStart, where, ...tables, pageEnd].join("\n\n");
  await writeFile(page, text.slice(0, start) + figures + text.slice(end + pageEnd.length));
}
