import { benchmarkCommand } from "#test/support/bench/benchmark.ts";
import { number } from "#test/support/bench/options.ts";
import { type Figure, mebibytes, milliseconds } from "#test/support/bench/outcome.ts";
import { type Footprint, measureAgent, measureBareNode } from "./footprint.ts";

export const agent = benchmarkCommand({
  name: "agent",
  summary:
    "The memory and the CPU time of `muster agent` in a pod, and of a bare Node.js that has made the same request.",
  manifest: "examples/workloads/other-cluster.yaml",
  layout: "rows",
  options: {
    rest: number("seconds for which the CPU time of an agent is measured whose token is valid", 120, { small: 1 }),
    renewals: number("how many tokens are exchanged, one a second", 120, { small: 3, least: 2 }),
  },
  measure: async ({ rest, renewals }, { program, folder, report }) => {
    report({ case: "bare Node, after one exchange", figures: memory(await measureBareNode(program.env, folder)) });
    const measured = await measureAgent(program, folder, { rest, renewals });
    const cpu = (value: number) => milliseconds("CPU time", value);
    report({ case: "agent, after one exchange", figures: [...memory(measured.afterOne), cpu(measured.startCpuMs)] });
    report({ case: `agent, after ${renewals} exchanges`, figures: memory(measured.afterMany) });
    report({ case: "agent, per renewal, with the garbage collection after it", figures: [cpu(measured.renewalCpuMs)] });
    report({ case: `agent, at rest for ${rest} s`, figures: [cpu(measured.restCpuMs)] });
  },
});

function memory({ privateMiB, rssMiB }: Footprint): Figure[] {
  return [mebibytes("private", privateMiB), mebibytes("RSS", rssMiB)];
}
