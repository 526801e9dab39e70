import { treeOf } from "#test/operator/bench/tree.ts";
import { memoryMiB } from "#test/support/bench/process-usage.ts";
import { createAll } from "../apply.ts";
import { mebibytes, type Outcome, seconds } from "../figure.ts";
import type { ScaleOptions } from "../options.ts";
import { atRest, restFigures } from "../rest.ts";
import { restart } from "../restart.ts";
import { createTeams, type Team } from "../team.ts";
import type { World } from "../world.ts";

/** Many objects of one Tenant at rest. */
export async function rest(world: World, { objects, resync }: ScaleOptions): Promise<Outcome> {
  const { system, progress } = world;
  const [team] = (await createTeams(system, [{ name: "team", namespaces: 1 }])) as [Team];
  const first = await world.startOperator();
  progress(`creating ${objects} objects`);
  const tree = treeOf(objects, team.namespaces[0] ?? "", team.group);
  const creation = await createAll(world, tree);
  await first.process.stop();
  progress("restarting");
  const { operator, figures, traffic } = await restart(world, objects, tree.slice(0, 1), () =>
    world.startOperator(["--resync", `${resync}s`]),
  );
  progress("at rest");
  const rested = await atRest(world, resync);
  const memory = await memoryMiB(operator.process.pid);
  return {
    scenario: "rest",
    setting: `${objects} objects of one Tenant in one namespace; resync every ${resync} s.`,
    figures: [
      seconds("Seconds until all objects are Ready", creation),
      ...figures,
      ...restFigures(rested, objects, 1),
      mebibytes("Operator's memory after a restart, at rest", memory.now),
    ],
    details: { restarted: traffic, rest: rested },
  };
}
