import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Program } from "#test/support/bench/bundle.ts";
import { filledFile } from "./fill.ts";
import { measure } from "./measure.ts";
import type { postgresCopy } from "./postgres-copy.ts";
import type { RunOptions } from "./run.ts";
import { startSubject, type Subject } from "./subject.ts";

/**
 * Both platforms have run each case for this long before it is measured. Measured with one commit against itself: after 2 s, the
 * one that was started last needs 1.4 times the CPU time, after 8 s as much as the other.
 */
const warmUpSeconds = 8;
/** The length of a turn. Machines change their speed within a second, so the turns are short. */
const turnSeconds = 0.25;

/** The cost of a case in two platforms. */
export interface Comparison {
  readonly case: string;
  /** Milliseconds of CPU time per call. */
  readonly reference: number;
  readonly candidate: number;
  /** The candidate's cost as a multiple of the reference's: in all turns together, and in each pair of turns. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

export interface CompareOptions extends RunOptions {
  /** The reference and the tree of its sources: its own code fills its database. */
  readonly reference: Program;
  readonly tree: string;
  /** How many times the candidate is started; each start is compared with the same process of the reference. */
  readonly starts: number;
}

/**
 * Measures the cases in two platforms, which take turns on the same core: the load calls one while the other is idle.
 * @param report called for each case of each start of the candidate
 */
export async function compare(
  candidate: Program,
  options: CompareOptions,
  report: (comparison: Comparison) => void,
): Promise<void> {
  const { backend, callers, data, size, tree, cases, seconds } = options;
  const ofTree = (file: string) => import(pathToFileURL(join(resolve(tree), "test/platform/bench", file)).href);
  const fillOf = (await ofTree("fill.ts")) as { readonly filledFile: typeof filledFile };
  const copyOf = (await ofTree("postgres-copy.ts")) as { readonly postgresCopy: typeof postgresCopy };
  const [filled, referenceFilled] = [
    await filledFile(join(data, "candidate"), size),
    await fillOf.filledFile(join(data, "reference"), size),
  ];
  const reference = await startSubject(options.reference, {
    backend,
    filled: referenceFilled,
    callers,
    copy: copyOf.postgresCopy,
  });
  try {
    for (const name of cases) await warmUp(reference, name);
    for (let start = 0; start < options.starts; start++) {
      const subject = await startSubject(candidate, { backend, filled, callers });
      try {
        for (const name of cases) {
          await warmUp(subject, name);
          report(await inTurns(reference, subject, name, seconds));
        }
      } finally {
        await subject.close();
      }
    }
  } finally {
    await reference.close();
  }
}

async function warmUp(subject: Subject, name: string): Promise<void> {
  await subject.callers.run(warmUpSeconds, await subject.callsOf(name));
}

async function inTurns(reference: Subject, candidate: Subject, name: string, seconds: number): Promise<Comparison> {
  const sums = { reference: { cpu: 0, calls: 0 }, candidate: { cpu: 0, calls: 0 } };
  const ratios: number[] = [];
  for (let turn = 0; turn < Math.ceil(seconds / turnSeconds); turn++) {
    const pair = { reference: 0, candidate: 0 };
    // Who is first alternates, so that a machine that slows down favours neither.
    const order = turn % 2 === 0 ? (["reference", "candidate"] as const) : (["candidate", "reference"] as const);
    for (const who of order) {
      const { calls, cpuMillisecondsPerCall } = await measure(
        who === "reference" ? reference : candidate,
        name,
        turnSeconds,
      );
      pair[who] = cpuMillisecondsPerCall;
      sums[who].calls += calls;
      sums[who].cpu += calls * cpuMillisecondsPerCall;
    }
    ratios.push(pair.candidate / pair.reference);
  }
  const [a, b] = [sums.reference.cpu / sums.reference.calls, sums.candidate.cpu / sums.candidate.calls];
  return { case: name, reference: a, candidate: b, ratio: b / a, ratios };
}
