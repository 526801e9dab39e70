import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, type Program } from "./bundle.ts";
import { describeMachine } from "./machine.ts";
import { number, type Options, path, quick, readOptions, usageOf, type Values } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { columnTable, type Layout, printed, rowTable } from "./report.ts";
import { type Results, ResultsFile } from "./results.ts";
import { writeResultsPage } from "./results-page.ts";

/** A measurement of Muster as production runs it. */
export interface Benchmark<O extends Options> {
  readonly name: string;
  /** What it measures: one sentence. */
  readonly summary: string;
  /** What else its `--help` says. */
  readonly help?: string;
  /** The manifest whose container is measured: its memory limit sizes the heap. */
  readonly manifest: string;
  readonly options: O;
  readonly layout: Layout;
  /** The paragraphs and tables of its page; by default, all outcomes in one table. */
  readonly page?: (results: Results) => readonly string[];
  /** Measures the cases, and reports each. */
  readonly measure: (options: Values<O>, run: Run) => Promise<void>;
  /** Measures two programs at the same time. By default, `measure` measures one after the other. */
  readonly compare?: (options: Values<O>, run: Comparison) => Promise<void>;
}

/** What a benchmark is given to measure with. */
export interface Run {
  /** What is measured. */
  readonly program: Program;
  /** The program of this tree, even if that of another tree is measured. */
  readonly own: Program;
  /** A folder that is removed after the run. */
  readonly folder: string;
  /** A folder that keeps what takes long to create, if the user wants to keep it. */
  readonly data: string;
  readonly report: (outcome: Outcome) => void;
  readonly progress: (phase: string) => void;
}

/** A run whose program is compared with another one. */
export interface Comparison extends Run {
  readonly reference: Program;
  /** The tree of the reference's sources. */
  readonly tree: string;
  /** How many times the program is started. */
  readonly turns: number;
}

/** A benchmark as a command. */
export interface BenchmarkCommand {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  /** @returns the measurement @throws {Error} that names the invalid option */
  readonly prepare: (args: readonly string[]) => () => Promise<void>;
}

/** The options of all benchmarks. */
const common = {
  json: path("FILE", "add the figures to FILE, as JSON; it keeps those of other cases"),
  page: path("FILE", "then write the tables of FILE, from the figures in the --json file if there is one"),
  data: path("DIR", "keep what takes long to create in DIR, and use it again"),
  against: path(
    "DIR",
    "measure the program of another tree of sources, in which npm ci has run, in turn with this one",
  ),
  turns: number("how many times to measure", 1),
  quick,
};

export function benchmarkCommand<O extends Options>(benchmark: Benchmark<O>): BenchmarkCommand {
  const { name, summary, help } = benchmark;
  const options = usageOf({ ...benchmark.options, ...common });
  const paragraphs = [
    `Usage: npm run bench -- ${name} [OPTIONS]`,
    summary,
    ...(help === undefined ? [] : [help]),
    options,
  ];
  return {
    name,
    summary,
    usage: `${paragraphs.join("\n\n")}\n`,
    prepare: (args) => {
      const values = readOptions({ ...benchmark.options, ...common }, args);
      const results = new ResultsFile(values.json);
      return () => measure(benchmark, values, results);
    },
  };
}

async function measure<O extends Options>(
  benchmark: Benchmark<O>,
  values: Values<O> & Values<typeof common>,
  results: ResultsFile,
): Promise<void> {
  const { name, manifest, layout, page = defaultPage } = benchmark;
  const { against, turns } = values;
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-"));
  const started = performance.now();
  /** By their names without the build and the turn. */
  const reported = new Map<string, Outcome[]>();
  try {
    const own = await bundle(join(folder, "program"), manifest);
    const reference = against === undefined ? undefined : await bundle(join(folder, "reference"), manifest, against);
    const data = values.data ?? join(folder, "data");
    await mkdir(data, { recursive: true });
    /** @param suffix of the names of the cases */
    const runOf = (program: Program, suffix: string): Run => ({
      program,
      own,
      folder,
      data,
      report: (outcome) => {
        const named = { ...outcome, case: outcome.case + suffix };
        process.stdout.write(`${printed(named, layout)}\n`);
        results.add(named);
        reported.set(outcome.case, [...(reported.get(outcome.case) ?? []), named]);
      },
      progress: (phase) => {
        const seconds = ((performance.now() - started) / 1000).toFixed(0);
        process.stderr.write(`${seconds} s${suffix}: ${phase}\n`);
      },
    });
    if (reference === undefined)
      for (let turn = 1; turn <= turns; turn += 1)
        await benchmark.measure(values, runOf(own, turns === 1 ? "" : `, turn ${turn}`));
    else if (benchmark.compare !== undefined && against !== undefined)
      await benchmark.compare(values, { ...runOf(own, ""), reference, tree: against, turns });
    // In turn: a machine whose speed changes favours neither.
    else
      for (let turn = 1; turn <= turns; turn += 1) {
        await benchmark.measure(values, runOf(reference, `, reference ${turn}`));
        await benchmark.measure(values, runOf(own, `, this tree ${turn}`));
      }
    const outcomes = [...reported.values()].flat();
    const tables = layout === "columns" ? sideBySide(reported) : outcomes.length === 0 ? [] : [rowTable(outcomes)];
    process.stdout.write(`\n${[describeMachine(), ...tables].join("\n\n")}\n`);
    if (values.page !== undefined) await writeResultsPage(values.page, name, page(results.results));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The turns of each case, if there are several. */
function sideBySide(outcomes: ReadonlyMap<string, readonly Outcome[]>): string[] {
  return [...outcomes]
    .filter(([, turns]) => turns.length > 1)
    .map(([name, turns]) => columnTable(turns, (turn) => turn.case.slice(name.length + 2)));
}

function defaultPage({ machine, outcomes }: Results): string[] {
  return [`${machine}.`, rowTable(outcomes)];
}
