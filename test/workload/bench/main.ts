import { parseArgs } from "node:util";
import { runBenchmark } from "#test/support/bench/benchmark.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { describeMachine, thisMachine } from "#test/support/bench/machine.ts";
import { markdownTable } from "#test/support/bench/markdown-table.ts";
import { writeResultsPage } from "#test/support/bench/results-page.ts";
import { wholeNumber } from "#test/support/command-line.ts";
import { type Footprint, measureAgent, measureBareNode } from "./footprint.ts";

const name = "bench:agent";
const usage = `Usage: npm run bench:agent -- [--rest SECONDS] [--page FILE]

Measures the memory and the CPU time of \`muster agent\`, from the bundle and with the settings of the image, and of a bare
Node.js that has made the same request.

  --rest SECONDS  how long to measure the CPU time of an agent whose token is valid (default: 120)
  --page FILE     write the results to FILE, between the marks of this benchmark
`;

interface Options {
  readonly restSeconds: number;
  readonly page: string | undefined;
}

const manifest = "examples/workloads/other-cluster.yaml";

await runBenchmark({ name, usage, manifest, readOptions, measure });

function readOptions(args: readonly string[]): Options | "help" {
  const options = {
    rest: { type: "string", default: "120" },
    page: { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help === true) return "help";
  return { restSeconds: wholeNumber("--rest", values.rest, 1), page: values.page };
}

async function measure({ restSeconds, page }: Options, program: Program): Promise<void> {
  const bare = await measureBareNode(program.env);
  const agent = await measureAgent(program, restSeconds);
  const rows: readonly (readonly [string, Footprint])[] = [
    ["bare Node, after one exchange", bare],
    ["agent, after one exchange", agent.afterOne],
    [`agent, after ${agent.renewals} exchanges`, agent.afterMany],
  ];
  const table = markdownTable(
    ["", "private MiB", "RSS MiB"],
    rows.map(([what, { privateMiB, rssMiB }]) => [what, privateMiB.toFixed(1), rssMiB.toFixed(1)]),
  );
  const cpu =
    `CPU time: ${agent.startCpuMs.toFixed(0)} ms from the start to the first token, ` +
    `${agent.renewalCpuMs.toFixed(0)} ms per renewal with the garbage collection after it, and at rest ` +
    `${agent.restCpuMs.toFixed(1)} ms in ${restSeconds} s (${((agent.restCpuMs / restSeconds / 1_000) * 100).toFixed(4)} % of a core).`;
  const results = [describeMachine(thisMachine()), table, cpu];
  process.stdout.write(`${results.join("\n\n")}\n`);
  if (page !== undefined) await writeResultsPage(page, name, results);
}
