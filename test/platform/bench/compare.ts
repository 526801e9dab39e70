import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Comparison } from "#test/support/bench/benchmark.ts";
import { count, type Figure, figure, milliseconds } from "#test/support/bench/outcome.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { filledFile } from "./fill.ts";
import { measure } from "./measure.ts";
import type { Backend, PlatformOptions } from "./options.ts";
import type { postgresCopy } from "./postgres-copy.ts";
import { startSubject, type Subject } from "./subject.ts";

/**
 * Both platforms have run each case for this long before it is measured. Measured with one commit against itself: after 2 s, the
 * one that was started last needs 1.4 times the CPU time, after 8 s as much as the other.
 */
const warmUpSeconds = 8;
/** The length of a turn. Machines change their speed within a second, so the turns are short. */
const turnSeconds = 0.25;

/**
 * Measures the cases in two platforms, which take turns on the same core: the load calls one while the other is idle. Each start of
 * the candidate is compared with the same process of the reference.
 */
export async function compare(
  { callers, cases, seconds }: PlatformOptions,
  { program, reference, tree, turns, data, report }: Comparison,
  backend: Backend,
  size: number,
): Promise<void> {
  // The code of the reference fills its database, because schemas differ.
  const ofTree = (file: string) => import(pathToFileURL(join(resolve(tree), "test/platform/bench", file)).href);
  const fillOf = (await ofTree("fill.ts")) as { readonly filledFile: typeof filledFile };
  const { postgresCopy: copy } = (await ofTree("postgres-copy.ts")) as { readonly postgresCopy: typeof postgresCopy };
  for (const who of ["candidate", "reference"]) await mkdir(join(data, who), { recursive: true });
  const filled = await filledFile(join(data, "candidate"), size);
  const referenceFilled = await fillOf.filledFile(join(data, "reference"), size);
  await using resources = new AsyncDisposableStack();
  const other = await startSubject(resources, reference, { backend, filled: referenceFilled, callers, copy });
  report({ case: `${backend} ${size} start, reference`, figures: other.start });
  for (const name of cases) await warmUp(other, name);
  for (let turn = 1; turn <= turns; turn += 1) {
    await using ofTurn = new AsyncDisposableStack();
    const subject = await startSubject(ofTurn, program, { backend, filled, callers });
    report({ case: `${backend} ${size} start, start ${turn}`, figures: subject.start });
    for (const name of cases) {
      await warmUp(subject, name);
      const figures = await inTurns(other, subject, name, seconds);
      report({ case: `${backend} ${size} ${name}, start ${turn}`, figures });
    }
  }
}

async function warmUp(subject: Subject, name: string): Promise<void> {
  await subject.callers.run(warmUpSeconds, await subject.callsOf(name));
}

/** The CPU time per call of both, and the candidate's as a multiple: in all turns together, and in the pairs of turns. */
async function inTurns(reference: Subject, candidate: Subject, name: string, seconds: number): Promise<Figure[]> {
  const subjects = { reference, candidate };
  const sums = { reference: { cpu: 0, calls: 0, written: 0 }, candidate: { cpu: 0, calls: 0, written: 0 } };
  const ratios: number[] = [];
  for (let turn = 0; turn < Math.ceil(seconds / turnSeconds); turn++) {
    const pair = { reference: 0, candidate: 0 };
    // Who is first alternates, so that a machine that slows down favours neither.
    const order = turn % 2 === 0 ? (["reference", "candidate"] as const) : (["candidate", "reference"] as const);
    for (const who of order) {
      const { calls, cpuMilliseconds, written } = await measure(subjects[who], name, turnSeconds);
      pair[who] = cpuMilliseconds;
      sums[who].calls += calls;
      sums[who].written += calls * written;
      sums[who].cpu += calls * cpuMilliseconds;
    }
    ratios.push(pair.candidate / pair.reference);
  }
  const [before, after] = [sums.reference.cpu / sums.reference.calls, sums.candidate.cpu / sums.candidate.calls];
  return [
    milliseconds("CPU per call, reference / this tree", [before, after]),
    count("ratio", after / before),
    figure(
      "written per call, reference / this tree",
      [sums.reference, sums.candidate].map(({ written, calls }) => written / calls / 1_024),
      "KiB",
    ),
    count("half of the pairs of turns, from / to", [percentile(ratios, 0.25), percentile(ratios, 0.75)]),
  ];
}
