import { moveToLoadCore } from "#test/platform/bench/cores.ts";
import { backends } from "#test/platform/bench/options.ts";
import { benchmarkCommand } from "#test/support/bench/benchmark.ts";
import { list, number } from "#test/support/bench/options.ts";
import { meetsGoal, type Outcome } from "#test/support/bench/outcome.ts";
import { rowTable } from "#test/support/bench/report.ts";
import { abuseKinds } from "./kinds.ts";
import { blockName, goals, runKinds } from "./run.ts";

const kindNames = abuseKinds.map(({ name }) => name);

export const abuse = benchmarkCommand({
  name: "abuse",
  summary: "What a bystander notices while another tenant abuses the platform in many ways.",
  help: `The platform has a heap of 256 MiB, of the 512 MiB of its container. A bystander of another tenant calls it 30 times per second. Exits
with 1 if a call of the bystander fails or its 99th percentile exceeds ${goals.p99Milliseconds} ms, if the platform ends, or if its memory exceeds ${goals.rssMiB} MiB.
Blocks of the event loop of more than ${goals.blockMilliseconds} ms are only marked. --data keeps the filled database. With --against, the other tree must have the same schema.

${abuseKinds.map(({ name, what }) => `  ${name.padEnd(24)} ${what}`).join("\n")}`,
  manifest: "deploy/kustomize/overlays/try-out/platform/stateful-set.yaml",
  layout: "rows",
  options: {
    kinds: list("kinds of abuse", kindNames, { small: ["pages"] }),
    seconds: number("duration of each kind", 20, { small: 2 }),
    backend: list("backends", backends, { initial: ["sqlite"] }),
  },
  page: ({ machine, outcomes }) => [`${machine}, ${outcomes[0]?.setting}.`, rowTable(outcomes, "what the abuser got")],
  measure: async ({ backend, kinds, seconds }, run) => {
    moveToLoadCore();
    const missed: string[] = [];
    const report = (outcome: Outcome) => {
      run.report(outcome);
      if (outcome.figures.some((figure) => figure.name !== blockName && !meetsGoal(figure))) missed.push(outcome.case);
    };
    const chosen = abuseKinds.filter(({ name }) => kinds.includes(name));
    for (const one of backend) await runKinds({ ...run, report }, one, chosen, seconds);
    if (missed.length === 0) return;
    run.progress(`goals were missed during ${missed.join(", ")}`);
    process.exitCode = 1;
  },
});
