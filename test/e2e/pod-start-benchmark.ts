import type { BenchmarkCommand } from "#test/support/bench/benchmark.ts";
import { describeMachine } from "#test/support/bench/machine.ts";
import { number, path, quick, readOptions, usageOf } from "#test/support/bench/options.ts";
import { milliseconds, type Outcome } from "#test/support/bench/outcome.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { printed, rowTable } from "#test/support/bench/report.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { account } from "#test/node/labelled-pod.ts";
import { applyExamples, installTryOut } from "#test/node/try-out.ts";
import { measurePodStart, podVariants, type PodStart, type PodVariant } from "./pod-start.ts";
import { findTarget } from "./target.ts";

const name = "pod-start";
const summary = "How long after its token a labelled pod's container starts, in a cluster with a node on this machine.";
const options = {
  pods: number("how many pods of each variant run, one after the other", 50, { small: 3 }),
  page: path("FILE", "then write the table of FILE"),
  quick,
};
/** A container starts within a second of the token. */
const goalMs = 1_000;

/** Unlike the other benchmarks, it measures what is installed with Helm, by a kubelet. */
export const podStart: BenchmarkCommand = {
  name,
  summary,
  usage: `Usage: npm run bench -- ${name} [OPTIONS]\n\n${summary}\n\n${usageOf(options)}\n`,
  prepare: (args) => {
    const { pods, page } = readOptions(options, args);
    return async () => {
      const outcomes = await measure(pods);
      for (const outcome of outcomes) process.stdout.write(`${printed(outcome, "rows")}\n`);
      const what = `${pods} pods of each, one after the other and in turn: p50 / p95 / maximum.`;
      const text = [`${describeMachine()}. ${what}`, rowTable(outcomes)];
      if (page !== undefined) await writeResultsPage(page, name, text);
    };
  },
};

async function measure(pods: number): Promise<readonly Outcome[]> {
  const target = await findTarget({ progress: (line) => process.stderr.write(`${line}\n`) });
  try {
    await installTryOut(target);
    await applyExamples(target);
    await target.admin.apply(account);
    const starts = podVariants.map((): PodStart[] => []);
    for (let count = 0; count < pods; count++)
      for (const [index, variant] of podVariants.entries())
        starts[index]?.push(await measurePodStart(target, variant, `start-${index}-${count}`));
    return podVariants.map((variant, index) => outcomeOf(variant, starts[index] ?? []));
  } finally {
    await target.stop();
  }
}

function outcomeOf({ name: title, changes }: PodVariant, starts: readonly PodStart[]): Outcome {
  const spread = (times: readonly number[]) => [0.5, 0.95, 1].map((share) => percentile(times, share));
  const after = spread(starts.map(({ afterToken }) => afterToken));
  return {
    case: title,
    figures: [
      milliseconds("from the pod to its token", spread(starts.map(({ beforeToken }) => beforeToken))),
      milliseconds("from the token to the container", after, changes === undefined ? goalMs : undefined),
      milliseconds(
        "from the pod to the container",
        spread(starts.map(({ beforeToken, afterToken }) => beforeToken + afterToken)),
      ),
    ],
  };
}
