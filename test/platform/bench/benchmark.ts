import { benchmarkCommand, type Run } from "#test/support/bench/benchmark.ts";
import { markdownTable } from "#test/support/bench/markdown-table.ts";
import { figureOf, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import { cell } from "#test/support/bench/report.ts";
import type { Results } from "#test/support/bench/results.ts";
import { caseNames } from "./cases.ts";
import { compare } from "./compare.ts";
import { moveToLoadCore } from "./cores.ts";
import { filledFile } from "./fill.ts";
import { latencyName, measure, memoryName, othersName, rateName } from "./measure.ts";
import { type Backend, backends, options, type PlatformOptions } from "./options.ts";
import { startSubject } from "./subject.ts";

/** Each case runs for this long before it is measured: the code is compiled and caches fill. */
const warmUpSeconds = 1;

export const platform = benchmarkCommand({
  name: "platform",
  summary: "What the platform costs, with up to a million resources, on SQLite and PostgreSQL.",
  help: `The platform is a process on a core of its own. The load, and PostgreSQL if it is the backend, run on the other core. With --against, both
platforms run at the same time and take turns of a quarter of a second; --turns says how often this tree's is started. --data keeps
the filled SQLite files.`,
  manifest: "deploy/kustomize/overlays/try-out/platform/stateful-set.yaml",
  layout: "rows",
  options,
  page,
  measure: async (given, run) => {
    moveToLoadCore();
    for (const backend of given.backend) for (const size of given.sizes) await measureAll(given, run, backend, size);
  },
  compare: async (given, comparison) => {
    moveToLoadCore();
    for (const backend of given.backend)
      for (const size of given.sizes) await compare(given, comparison, backend, size);
  },
});

async function measureAll(given: PlatformOptions, run: Run, backend: Backend, size: number): Promise<void> {
  const filled = await filledFile(run.data, size);
  await using resources = new AsyncDisposableStack();
  const subject = await startSubject(resources, run.program, { backend, filled, callers: given.callers });
  const setting = `${given.callers} callers`;
  const fillSeconds = backend === "sqlite" ? filled.seconds : subject.copySeconds;
  if (fillSeconds !== undefined)
    run.report({ case: caseOf(backend, size, filling), figures: [seconds("took", fillSeconds)] });
  run.report({ case: caseOf(backend, size, "start"), figures: subject.start });
  for (const name of given.cases) {
    await subject.callers.run(warmUpSeconds, await subject.callsOf(name));
    const { figures } = await measure(subject, name, given.seconds);
    run.report({ case: caseOf(backend, size, name), setting, figures });
  }
}

const filling = "fill";

function caseOf(backend: Backend, size: number, name: string): string {
  return `${backend} ${size} ${name}`;
}

/** What a table has of each size. */
const columns = [
  { figure: rateName, title: "/s" },
  { figure: latencyName, title: "p50 / p99" },
  { figure: memoryName, title: "memory, after / peak" },
];

function page({ machine, outcomes }: Results): string[] {
  const measured = outcomes.filter(({ setting }) => setting !== undefined);
  const others = measured.map((outcome) => figureOf(outcome, othersName)).toSorted((a, b) => valueOf(a) - valueOf(b));
  const median = cell(others[Math.floor(others.length / 2)]);
  const noise = `Other processes used ${median} of the platform's core (median of the cases), at most ${cell(others.at(-1))}.`;
  return [
    `${machine}, ${measured[0]?.setting}. ${noise}`,
    ...backends.flatMap((backend) => tableOf(backend, outcomes)),
  ];
}

function valueOf({ values: [value = 0] }: { readonly values: readonly number[] }): number {
  return value;
}

/** The title and the table of one backend: a row for each case, three columns for each size. */
function tableOf(backend: Backend, outcomes: readonly Outcome[]): string[] {
  const words = outcomes.map((outcome) => outcome.case.split(" ")).filter(([one]) => one === backend);
  const sizes = [...new Set(words.map(([, size]) => Number(size)))].toSorted((a, b) => a - b);
  if (sizes.length === 0) return [];
  const outcomeOf = (size: number, name: string) => outcomes.find((one) => one.case === caseOf(backend, size, name));
  const rows = caseNames.flatMap((name) => {
    const found = sizes.map((size) => outcomeOf(size, name));
    if (found.every((outcome) => outcome === undefined)) return [];
    return [[name, ...found.flatMap((one) => columns.map(({ figure }) => (one && cell(figureOf(one, figure))) ?? ""))]];
  });
  const head = sizes.flatMap((size) => columns.map(({ title }, n) => (n === 0 ? `${grouped(size)}: ${title}` : title)));
  const filled = sizes.flatMap((size) => {
    const outcome = outcomeOf(size, filling);
    return outcome === undefined ? [] : [`${grouped(size)} in ${cell(outcome.figures[0])}`];
  });
  const title = { sqlite: "SQLite", postgres: "PostgreSQL" }[backend];
  return [
    `**${title}**${filled.length === 0 ? "" : ` (filled with ${filled.join(", ")})`}`,
    markdownTable(["", ...head], rows),
  ];
}

function grouped(number: number): string {
  return number.toLocaleString("en");
}
