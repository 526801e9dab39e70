import { treeOf } from "#test/operator/bench/tree.ts";
import { memoryMiB } from "#test/support/bench/process-usage.ts";
import { createAll } from "#test/operator/bench/apply.ts";
import { mebibytes, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import type { ScaleOptions } from "../options.ts";
import { atRest } from "#test/operator/bench/rest.ts";
import { restart } from "#test/operator/bench/restart.ts";
import { restartFigures, restFigures, restIntervals } from "../common-figures.ts";
import { createTeams, type Team } from "../team.ts";
import type { World } from "#test/operator/bench/world.ts";

/** Many objects of one Tenant at rest. */
export async function rest(world: World, { objects, resync }: ScaleOptions): Promise<Outcome> {
  const { system, run } = world;
  const [team] = (await createTeams(system, [{ name: "team", namespaces: 1 }])) as [Team];
  const first = await world.startOperator();
  run.progress(`creating ${objects} objects`);
  const tree = treeOf(objects, team.namespaces[0] ?? "", team.group);
  const creation = await createAll(world, tree);
  await first.process.stop();
  run.progress("restarting");
  const restarted = await restart(world, objects, tree.slice(0, 1), ["--resync", `${resync}s`]);
  const { operator, traffic } = restarted;
  run.progress("at rest");
  const rested = await atRest(world, operator, resync, restIntervals);
  const memory = await memoryMiB(operator.process.pid);
  return {
    case: "rest",
    setting: `${objects} objects of one Tenant in one namespace; resync every ${resync} s.`,
    figures: [
      seconds("Seconds until all objects are Ready", creation.total),
      ...restartFigures(restarted),
      ...restFigures(rested, objects, 1),
      mebibytes("Operator's memory after a restart, at rest", memory.now),
    ],
    details: { restarted: traffic, rest: rested.traffic },
  };
}
