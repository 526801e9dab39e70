import type { BenchmarkCommand } from "#test/support/bench/benchmark.ts";
import { describeMachine } from "#test/support/bench/machine.ts";
import { number, path, quick, readOptions, usageOf } from "#test/support/bench/options.ts";
import { milliseconds, type Outcome } from "#test/support/bench/outcome.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { printed, rowTable } from "#test/support/bench/report.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { account } from "#test/node/labelled-pod.ts";
import { applyExamples, installTryOut } from "#test/node/try-out.ts";
import { measurePodStart, type PodStart } from "./pod-start.ts";
import { findTarget } from "./target.ts";

const name = "pod-start";
const summary = "How long after its token a labelled pod's container starts, in a cluster with a node on this machine.";
const options = {
  pods: number("how many pods run, one after the other", 50, { small: 3 }),
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
      const outcome = await measure(pods);
      process.stdout.write(`${printed(outcome, "rows")}\n`);
      const text = [`${describeMachine()}.`, rowTable([outcome])];
      if (page !== undefined) await writeResultsPage(page, name, text);
    };
  },
};

async function measure(pods: number): Promise<Outcome> {
  const target = await findTarget({ progress: (line) => process.stderr.write(`${line}\n`) });
  try {
    await installTryOut(target);
    await applyExamples(target);
    await target.admin.apply(account);
    const starts: PodStart[] = [];
    for (let count = 0; count < pods; count++) starts.push(await measurePodStart(target, `start-${count}`));
    const spread = (times: readonly number[]) => [0.5, 0.95, 1].map((share) => percentile(times, share));
    const beforeToken = spread(starts.map((start) => start.beforeToken));
    const afterToken = spread(starts.map((start) => start.afterToken));
    return {
      case: `${pods} pods, one after the other: p50 / p95 / maximum`,
      figures: [
        milliseconds("from the pod to its token", beforeToken),
        milliseconds("from the token to the container", afterToken, goalMs),
      ],
    };
  } finally {
    await target.stop();
  }
}
