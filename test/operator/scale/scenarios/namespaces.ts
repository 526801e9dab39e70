import { treeOf } from "#test/operator/bench/tree.ts";
import { trafficBetween } from "#test/support/harness/traffic.ts";
import { within } from "#test/support/within.ts";
import { createAll, inTime, latest } from "#test/operator/bench/apply.ts";
import { count, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import { writeFigures } from "../common-figures.ts";
import type { ScaleOptions } from "../options.ts";
import { createTeams, namespaceRef, type Team } from "../team.ts";
import type { World } from "#test/operator/bench/world.ts";

const namespacesDeleted = 5;
const timeoutMs = 600_000;

/** Objects are deleted with their namespaces, by the namespace controller. */
export async function namespaces(world: World, { deleted }: ScaleOptions): Promise<Outcome> {
  const { controlPlane, system, observer, counter, run } = world;
  if (!controlPlane.hasControllers) throw new Error("deleting namespaces needs kube-controller-manager");
  const [team] = (await createTeams(system, [{ name: "team", namespaces: namespacesDeleted }])) as [Team];
  await world.startOperator();
  run.progress(`creating ${deleted} objects`);
  const all = team.namespaces.flatMap((namespace) =>
    treeOf(Math.floor(deleted / namespacesDeleted), namespace, team.group, `${namespace}-`),
  );
  await createAll(world, all);

  run.progress("deleting the namespaces");
  const before = await counter.settled();
  const startedAt = performance.now();
  for (const namespace of team.namespaces) await controlPlane.admin.delete(namespaceRef(namespace));
  const gone = await inTime(
    "objects with their namespaces",
    observer,
    all.map((object) => observer.gone(object)),
  );
  const objectsSeconds = (latest(gone) - startedAt) / 1000;
  for (const namespace of team.namespaces)
    await within(
      `deleting ${namespace}`,
      timeoutMs / 1000,
      controlPlane.admin.waitUntilGone(namespaceRef(namespace), { timeoutMs }),
    );
  const namespacesSeconds = (performance.now() - startedAt) / 1000;
  const traffic = trafficBetween(before, await counter.settled());
  const left = await Promise.all(
    (["groups", "identities", "roleBindings"] as const).map((collection) => system.admin.list(collection, team.group)),
  );
  const remaining = left.flat().filter(({ uid }) => uid !== team.group);
  return {
    case: "namespaces",
    setting: `${all.length} objects, deleted with their ${namespacesDeleted} namespaces by the namespace controller.`,
    figures: [
      count("Resources left on the platform", remaining.length, 0),
      seconds("Seconds until all objects are gone", objectsSeconds),
      seconds("Seconds until the namespaces are gone", namespacesSeconds),
      count("Calls to the platform per object", traffic.platformCalls / all.length, 1.1),
      ...writeFigures(traffic, "object", all.length, 1),
      count("Writes of events, total", traffic.eventWrites),
    ],
    details: { traffic, left: remaining.slice(0, 20) },
  };
}
