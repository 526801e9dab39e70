import { treeOf } from "#test/operator/bench/tree.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isUnready } from "#test/support/harness/muster-objects.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { trafficBetween } from "#test/support/harness/traffic.ts";
import { createAll, inTime, latest } from "#test/operator/bench/apply.ts";
import { connectionsTo } from "../connections.ts";
import { count, type Figure, mebibytes, milliseconds, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import type { ScaleOptions } from "../options.ts";
import { atRest } from "#test/operator/bench/rest.ts";
import { restart } from "#test/operator/bench/restart.ts";
import { restartFigures, restFigures, restIntervals, writeFigures } from "../common-figures.ts";
import { createNamespace, createTeams, giveNamespace, type Team } from "../team.ts";
import type { World } from "#test/operator/bench/world.ts";

/** How many namespaces gain a Tenant, one after the other. */
const gained = 20;

/** Many Tenants, some with credentials of their own: memory, connections, restart, rest, and a Tenant gained by label. */
export async function tenants(world: World, options: ScaleOptions): Promise<Outcome> {
  const { system, counter, run } = world;
  const { tenants: number, namespaces, objects, ownCredentials, resync } = options;
  run.progress(`${number} Tenants and ${namespaces} namespaces`);
  const share = (total: number, index: number) =>
    Math.floor(((index + 1) * total) / number) - Math.floor((index * total) / number);
  const teams = await createTeams(
    system,
    Array.from({ length: number }, (_, index) => ({
      name: `team-${index}`,
      namespaces: share(namespaces, index),
      ownCredentials: index < ownCredentials,
    })),
  );
  let operator = await world.startOperator();
  await operator.process.logged("leading");
  const empty = await memoryMiB(operator.process.pid);

  run.progress(`creating ${objects} objects`);
  const trees = teams.map((team) => treesOf(team, Math.floor(objects / namespaces)));
  const all = trees.flat();
  const before = await counter.settled();
  const cpuBefore = await cpuSeconds(operator.process.pid);
  const creation = await createAll(world, all);
  const created = trafficBetween(before, await counter.settled());
  const cpu = (await cpuSeconds(operator.process.pid)) - cpuBefore;
  const memory = await memoryMiB(operator.process.pid);
  const connections = await connectionFigures(world, operator, "");

  run.progress(`${gained} namespaces gain a Tenant`);
  const labels = await gainTenants(world, teams, ownCredentials);

  run.progress("restarting");
  await operator.process.stop();
  const edited = trees.flatMap((tree) => tree.slice(0, 1));
  const restarted = await restart(world, all.length + labels.objects, edited, ["--resync", `${resync}s`]);
  ({ operator } = restarted);
  run.progress("at rest");
  const rest = await atRest(world, operator, resync, restIntervals);
  const restedMemory = await memoryMiB(operator.process.pid);
  const resting = all.length + labels.objects;
  return {
    case: "tenants",
    setting: `${number} Tenants, ${ownCredentials} of them with credentials of their own; ${namespaces} namespaces; ${all.length} objects; resync every ${resync} s while at rest.`,
    figures: [
      seconds("Seconds until all objects are Ready", creation.total),
      count("Calls to the platform per object created", created.platformCalls / all.length),
      ...writeFigures(created, "object created", all.length),
      milliseconds("Operator's CPU per object created", (cpu / all.length) * 1000),
      mebibytes("Operator's memory with the Tenants, without objects", empty.now),
      mebibytes("… with all objects", memory.now),
      mebibytes("… at its peak", memory.peak),
      mebibytes("… after a restart, at rest", restedMemory.now),
      ...connections,
      ...(await connectionFigures(world, operator, ", after a restart")),
      ...labels.figures,
      ...restartFigures(restarted),
      ...restFigures(rest, resting, ownCredentials + 1),
    ],
    details: { created, restarted: restarted.traffic, rest: rest.traffic, restedPeak: restedMemory.peak },
  };
}

function treesOf({ namespaces, group }: Team, objects: number): KubeObject[] {
  return namespaces.flatMap((namespace) => treeOf(objects, namespace, group, `${namespace}-`));
}

async function connectionFigures({ controlPlane, system }: World, operator: Operator, when: string): Promise<Figure[]> {
  const { pid } = operator.process;
  const [kubernetes, platform] = await Promise.all(
    [controlPlane.url, system.platformUrl].map((url) => connectionsTo(pid, Number(new URL(url).port))),
  );
  return [
    count(`Connections to the API server${when}`, kubernetes ?? Number.NaN),
    count(`Connections to the platform${when}`, platform ?? Number.NaN),
  ];
}

interface Gained {
  readonly objects: number;
  readonly figures: readonly Figure[];
}

/** Namespaces with objects gain a Tenant by label, one after the other; every second one's has credentials of its own. */
async function gainTenants(world: World, teams: readonly Team[], ownCredentials: number): Promise<Gained> {
  const { controlPlane, observer, system } = world;
  const prepared: { readonly namespace: string; readonly team: Team; readonly objects: readonly KubeObject[] }[] = [];
  for (let index = 0; index < gained; index += 1) {
    const own = teams[index % Math.max(ownCredentials, 1)] as Team;
    const shared = teams[ownCredentials + (index % (teams.length - ownCredentials))] as Team;
    const team = index % 2 === 0 ? own : shared;
    const namespace = `gained-${index}`;
    await createNamespace(system, namespace);
    const objects = treeOf(10, namespace, team.group, `${namespace}-`);
    for (const object of objects) await controlPlane.admin.create(object);
    prepared.push({ namespace, team, objects });
  }
  const denied = prepared.flatMap(({ objects }) =>
    objects.map((object) => observer.when(object, isUnready("NoTenant"))),
  );
  await inTime("objects without a Tenant", observer, denied);
  const times: number[] = [];
  for (const { namespace, team, objects } of prepared) {
    const startedAt = performance.now();
    await giveNamespace(system, namespace, team.name);
    const ready = await inTime(
      `objects of ${namespace}`,
      observer,
      objects.map((object) => observer.ready(object, 1)),
    );
    times.push((latest(ready) - startedAt) / 1000);
  }
  const name = "From the label until a namespace's ten objects are Ready";
  return {
    objects: prepared.flatMap(({ objects }) => objects).length,
    figures: [seconds(`${name}, p50`, percentile(times, 0.5), 5), seconds("… at most", latest(times), 5)],
  };
}
