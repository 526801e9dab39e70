import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runBenchmark } from "#test/support/bench/benchmark.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { describeMachine, thisMachine } from "#test/support/bench/machine.ts";
import { markdownTable } from "#test/support/bench/markdown-table.ts";
import { wholeNumber } from "#test/support/command-line.ts";
import { type CommandCost, measureCommand } from "./measure-command.ts";
import { measuredCommands } from "./measured-commands.ts";
import { makeWorld, type World } from "./world.ts";

const name = "bench:commands";
const names = Object.keys(measuredCommands);
const usage = `Usage: npm run bench:commands -- [--groups N] [--runs N] [--command NAME …]

Measures the commands that read a whole platform and a whole cluster: the time, the CPU time, the peak of the resident memory, and
the calls. Each run is a process of its own, from the bundle, as a person runs it. Every group has three identities, and each of these two
role bindings: 1,000 groups are 10,000 objects.

  --groups N      the number of groups (default: 1000)
  --runs N        how often each command is run; the table has the slowest time and the highest peak (default: 3)
  --command NAME  a command to measure; can be repeated (default: all of ${names.join(", ")})
`;

interface Options {
  readonly groups: number;
  readonly runs: number;
  readonly commands: readonly string[];
}

await runBenchmark({ name, usage, manifest: "deploy/kustomize/base/deployment.yaml", readOptions, measure });

function readOptions(args: readonly string[]): Options | "help" {
  const options = {
    groups: { type: "string", default: "1000" },
    runs: { type: "string", default: "3" },
    command: { type: "string", multiple: true, default: names },
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help === true) return "help";
  const unknown = values.command.find((one) => !names.includes(one));
  if (unknown !== undefined) throw new Error(`--command: there is no ${unknown}: use one of ${names.join(", ")}`);
  return {
    groups: wholeNumber("--groups", values.groups, 1),
    runs: wholeNumber("--runs", values.runs, 1),
    commands: values.command,
  };
}

async function measure({ commands, groups, runs }: Options, program: Program): Promise<void> {
  const rows: string[][] = [];
  let objects = 0;
  for (const maker of ["operator", "people"] as const) {
    const measured = commands.filter((command) => (measuredCommands[command]?.maker ?? "operator") === maker);
    if (measured.length === 0) continue;
    const folder = await mkdtemp(join(tmpdir(), "muster-world-"));
    const world = await makeWorld(folder, groups, maker);
    ({ objects } = world);
    try {
      for (const command of measured) rows.push(await measureRuns(command, { program, world, runs }));
    } finally {
      await world.close();
      await rm(folder, { recursive: true, force: true });
    }
  }
  const table = markdownTable(
    ["command", "s", "CPU, s", "peak RSS, MiB", "calls of the platform", "of Kubernetes"],
    rows,
  );
  process.stdout.write(`${describeMachine(thisMachine())}\n\n${objects} objects.\n\n${table}\n`);
}

interface Measurement {
  readonly program: Program;
  readonly world: World;
  readonly runs: number;
}

/** A row of the table: the slowest time, and the highest peak. */
async function measureRuns(named: string, { program, world, runs }: Measurement): Promise<string[]> {
  const command = measuredCommands[named];
  if (command === undefined) throw new Error(`there is no command ${named}`);
  const costs: CommandCost[] = [];
  for (let run = 0; run < runs; run += 1) costs.push(await measureCommand(program.file, command, world));
  const highest = (of: (cost: CommandCost) => number) => Math.max(...costs.map(of));
  const row = [
    named,
    highest(({ seconds }) => seconds).toFixed(1),
    highest(({ cpuSeconds }) => cpuSeconds).toFixed(1),
    highest(({ peakMiB }) => peakMiB).toFixed(0),
    String(highest(({ platformCalls }) => platformCalls)),
    String(highest(({ kubernetesRequests }) => kubernetesRequests)),
  ];
  process.stderr.write(`${row.join(" ")}\n`);
  return row;
}
