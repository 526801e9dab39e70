import { createAll } from "#test/operator/bench/apply.ts";
import { described, editDuring, editOneByOne } from "#test/operator/bench/edits.ts";
import { atRest } from "#test/operator/bench/rest.ts";
import { restart } from "#test/operator/bench/restart.ts";
import { treeOf } from "#test/operator/bench/tree.ts";
import type { World } from "#test/operator/bench/world.ts";
import { mebibytes, milliseconds, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";
import { editFigures, restartFigures, restFigures, restIntervals } from "../common-figures.ts";
import type { ScaleOptions } from "../options.ts";
import { createTeams } from "../team.ts";

const tenants = 10;
const quietObjects = 90;

/** Very many objects of ten Tenants: their creation beside another Tenant's edits, a restart, and rest. */
export async function large(world: World, { large: objects, edits, resync }: ScaleOptions): Promise<Outcome> {
  const { system, controlPlane, run } = world;
  const teams = await createTeams(
    system,
    Array.from({ length: tenants + 1 }, (_, index) => ({ name: `team-${index}`, namespaces: 1 })),
  );
  const [quiet = [], ...others] = teams.map(({ namespaces: [namespace = ""], group }, index) =>
    treeOf(index === 0 ? quietObjects : objects / tenants, namespace, group, `${namespace}-`),
  );
  const first = await world.startOperator();
  await createAll(world, quiet);
  const edited = described(quiet);
  run.progress("editing, alone");
  // The first edits of a process are slower.
  await editOneByOne(world, edited, Math.ceil(edits / 4));
  const alone = await editOneByOne(world, edited, edits);

  run.progress(`creating ${objects} objects`);
  const pids = [first.process.pid, controlPlane.apiServerPid];
  const cpuBefore = await Promise.all(pids.map(cpuSeconds));
  const all = others.flat();
  let creationSeconds = 0;
  const beside = await editDuring(world, edited, 0, async () => {
    creationSeconds = (await createAll(world, all)).total;
  });
  const cpu = (await Promise.all(pids.map(cpuSeconds))).map((after, index) => after - (cpuBefore[index] ?? 0));
  const [own = 0, server = 0] = cpu.map((used) => (used / (all.length + beside.length)) * 1000);
  const patchedMs = beside.map(({ patched }) => patched * 1000);
  const memory = await memoryMiB(first.process.pid);
  await first.process.stop();

  run.progress("restarting");
  const restarted = await restart(world, all.length + quiet.length, edited.slice(0, 1), ["--resync", `${resync}s`]);
  const { operator } = restarted;
  run.progress("at rest");
  const rest = await atRest(world, operator, resync, restIntervals);
  const rested = await memoryMiB(operator.process.pid);
  return {
    case: "large",
    setting: `${all.length} objects of ${tenants} Tenants, created as fast as the API server takes them while another Tenant edits one object after the other; resync every ${resync} s while at rest.`,
    figures: [
      seconds("Seconds until all objects are Ready", creationSeconds),
      milliseconds("Operator's CPU per object created, or edited", own),
      milliseconds("API server's CPU per object created, or edited", server),
      ...editFigures("alone", alone),
      ...editFigures("while all are created", beside),
      milliseconds("… of which the API server took for its response, p50", percentile(patchedMs, 0.5)),
      mebibytes("Operator's memory with all objects", memory.now),
      mebibytes("… at its peak", memory.peak),
      mebibytes("… after a restart, at rest", rested.now),
      mebibytes("… after a restart, at its peak", rested.peak),
      ...restartFigures(restarted),
      ...restFigures(rest, all.length + quiet.length, 1),
      milliseconds("Operator's CPU per interval at rest", (rest.cpuSeconds / restIntervals) * 1000),
    ],
    details: { restarted: restarted.traffic, rest: rest.traffic },
  };
}
