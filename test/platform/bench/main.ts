// Measures the platform with the load as another process, prints the figures and writes them as JSON and into a page.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { bundle } from "#test/support/bench/bundle.ts";
import { takeLoadCore } from "./cores.ts";
import { type Figures, merged, readFigures, writeFigures } from "./figures.ts";
import { type PlatformBenchOptions, readOptions, usage } from "./options.ts";
import { line, markdown } from "./report.ts";
import { run } from "./run.ts";

const pageStart = "<!-- figures: written by npm run bench:platform -- --page -->";
const pageEnd = "<!-- end of figures -->";

// Servers end with this process, but not where a signal ends it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    process.stderr.write(`bench:platform: ended by ${signal}\n`);
    process.exit(1);
  });
try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") process.stdout.write(usage);
  else await main(options);
} catch (error) {
  process.stderr.write(`bench:platform: ${inspect(error)}\n`);
  // What is still running ends with this process.
  process.exit(1);
}

async function main(options: PlatformBenchOptions): Promise<void> {
  takeLoadCore();
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}`;
  const nothing: Figures = { machine, callers: options.callers, fills: [], figures: [] };
  let figures = (options.json === undefined ? undefined : await readFigures(options.json)) ?? nothing;
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-bundle-"));
  try {
    if (options.data !== undefined) await mkdir(options.data, { recursive: true });
    const program = await bundle(folder, "deploy/kustomize/overlays/try-out/platform/stateful-set.yaml");
    for (const backend of options.backends)
      for (const size of options.sizes)
        await run(program, { ...options, backend, size }, (found) => {
          const isFill = "fill" in found;
          process.stdout.write(
            isFill ? `${backend} ${size} filled in ${found.fill.seconds.toFixed(1)} s\n` : `${line(found.figure)}\n`,
          );
          figures = merged(figures, {
            ...nothing,
            ...(isFill ? { fills: [found.fill] } : { figures: [found.figure] }),
          });
          // At once: a run that is ended keeps what it has found.
          if (options.json !== undefined) writeFigures(options.json, figures);
        });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (options.page !== undefined) await writePage(options.page, figures);
}

/** Puts the tables between the page's two marks. */
async function writePage(page: string, figures: Figures): Promise<void> {
  const text = await readFile(page, "utf8");
  const start = text.indexOf(pageStart);
  const end = text.indexOf(pageEnd, start);
  if (start < 0 || end < start) throw new Error(`--page: ${page} has no lines "${pageStart}" and "${pageEnd}"`);
  await writeFile(page, `${text.slice(0, start)}${pageStart}\n\n${markdown(figures)}\n\n${text.slice(end)}`);
}
