import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { benchmarkCommand } from "#test/support/bench/benchmark.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { list, number } from "#test/support/bench/options.ts";
import { count, type Figure, mebibytes, seconds } from "#test/support/bench/outcome.ts";
import { type CommandCost, measureCommand } from "./measure-command.ts";
import { type MeasuredCommand, measuredCommands } from "./measured-commands.ts";
import { makeWorld, type World } from "./world.ts";

export const commands = benchmarkCommand({
  name: "commands",
  summary: "The commands that read a whole platform and a whole cluster: time, memory and calls.",
  help: `Each run is a process of its own, as a person runs it. Every group has three identities, and each of these two role bindings: 1,000
groups are 10,000 objects. The figures are the slowest time and the highest peak.`,
  manifest: "deploy/kustomize/base/deployment.yaml",
  layout: "rows",
  options: {
    groups: number("groups", 1_000, { small: 5 }),
    runs: number("how often each command is run", 3, { small: 1 }),
    command: list("commands", Object.keys(measuredCommands)),
  },
  measure: async ({ groups, runs, command }, { program, folder, report }) => {
    for (const maker of ["operator", "people"] as const) {
      const measured = Object.entries(measuredCommands).filter(
        ([name, one]) => command.includes(name) && (one.maker ?? "operator") === maker,
      );
      if (measured.length === 0) continue;
      const world = await makeWorld(await mkdtemp(join(folder, "world-")), groups, maker);
      try {
        for (const [name, one] of measured)
          report({
            case: name,
            setting: `${world.objects} objects`,
            figures: await measureRuns(one, program, world, runs),
          });
      } finally {
        await world.close();
      }
    }
  },
});

async function measureRuns(command: MeasuredCommand, program: Program, world: World, runs: number): Promise<Figure[]> {
  const costs: CommandCost[] = [];
  for (let run = 0; run < runs; run += 1) costs.push(await measureCommand(program.file, command, world));
  const highest = (of: (cost: CommandCost) => number) => Math.max(...costs.map(of));
  return [
    seconds(
      "time",
      highest((cost) => cost.seconds),
    ),
    seconds(
      "CPU",
      highest(({ cpuSeconds }) => cpuSeconds),
    ),
    mebibytes(
      "peak RSS",
      highest(({ peakMiB }) => peakMiB),
    ),
    count(
      "calls of the platform",
      highest(({ platformCalls }) => platformCalls),
    ),
    count(
      "of Kubernetes",
      highest(({ kubernetesRequests }) => kubernetesRequests),
    ),
  ];
}
