import { setTimeout as sleep } from "node:timers/promises";
import { treeOf } from "#test/operator/bench/tree.ts";
import { cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { conditionOf, kindRef, musterKinds } from "#test/support/harness/muster-objects.ts";
import { trafficBetween } from "#test/support/harness/traffic.ts";
import { createAll, inTime } from "#test/operator/bench/apply.ts";
import { brokenObjects, takenName } from "../broken-objects.ts";
import { described, type Edit, editDuring, editOneByOne, readyMilliseconds } from "#test/operator/bench/edits.ts";
import { count, mebibytes, milliseconds, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import { editFigures } from "../common-figures.ts";
import type { ScaleOptions } from "../options.ts";
import { createTeams, type Team } from "../team.ts";
import type { World } from "#test/operator/bench/world.ts";

const quietObjects = 90;
const noisyNamespaces = 5;

/**
 * One tenant's edits, alone, while another tenant applies objects that cannot work, and while these rest. As the load
 * occupies the API server, too, the edits are also measured while the API server checks as many objects as it would write, and
 * stores none: what that costs is not the operator's.
 */
export async function noisy(world: World, { broken, edits, rate }: ScaleOptions): Promise<Outcome> {
  const { system, observer, counter, run } = world;
  const [quiet, loud] = (await createTeams(system, [
    { name: "quiet", namespaces: 1 },
    { name: "loud", namespaces: noisyNamespaces },
  ])) as [Team, Team];
  await system.admin.create("groups", loud.group, { name: takenName });
  const operator = await world.startOperator();
  const tree = treeOf(quietObjects, quiet.namespaces[0] ?? "", quiet.group);
  await createAll(world, tree);
  const edited = described(tree);
  run.progress("editing, alone");
  // The first edits of a process are slower.
  await editOneByOne(world, edited, Math.ceil(edits / 4));
  const alone = await editOneByOne(world, edited, edits);

  run.progress("editing while the API server only checks broken objects");
  const objects = brokenObjects(broken, loud, quiet.group);
  const checked = objects.slice(0, Math.ceil(broken / 2));
  // Twice the rate: an object that is applied is written twice, by its author and, in the status, by the operator.
  const besideChecks = await editDuring(world, edited, edits, (signal) =>
    apply(world, checked, 2 * rate, signal, true),
  );

  run.progress(`editing while ${broken} broken objects are applied`);
  const before = await counter.settled();
  const cpuBefore = await cpuSeconds(operator.process.pid);
  const startedAt = performance.now();
  let appliedSeconds = 0;
  const besideBroken = await editDuring(world, edited, edits, async (signal) => {
    await apply(world, objects, rate, signal, false);
    appliedSeconds = (performance.now() - startedAt) / 1000;
    await inTime(
      "broken objects",
      observer,
      objects.map((object) => observer.when(object, reportsProblem)),
    );
  });
  const reportedSeconds = (performance.now() - startedAt) / 1000;
  const reasons = await reasonsOf(world, loud.namespaces);
  run.progress(`editing while ${broken} broken objects rest`);
  const resting = await editOneByOne(world, edited, edits);
  const traffic = trafficBetween(before, await counter.settled(300_000));
  const cpu = (await cpuSeconds(operator.process.pid)) - cpuBefore;
  const memory = await memoryMiB(operator.process.pid);
  const editsMade = besideBroken.length + resting.length;
  const [, alone99] = readyMilliseconds(alone);
  return {
    case: "noisy",
    setting: `One Tenant with ${quietObjects} objects edits one after the other; another applies ${broken} broken objects, ${rate} per second.`,
    figures: [
      ...editFigures("alone", alone),
      ...editFigures("while the API server only checks them", besideChecks),
      ...editFigures("while broken objects are applied", besideBroken, 2 * alone99),
      ...editFigures("while broken objects rest", resting, 2 * alone99),
      seconds("Seconds until all broken objects are applied", appliedSeconds),
      seconds("… until all of them report the problem", reportedSeconds),
      count("Calls to the platform per broken object", (traffic.platformCalls - editsMade) / broken),
      count("Writes to Kubernetes per broken object", (traffic.kubernetesWrites - editsMade) / broken),
      count("Writes of events, total", traffic.eventWrites),
      milliseconds("Operator's CPU per broken object, with that of the edits", (cpu / broken) * 1000),
      mebibytes("Operator's memory", memory.now),
    ],
    details: {
      slowestEdits: [alone, besideChecks, besideBroken, resting].map(slowest),
      reasons,
      traffic,
    },
  };
}

/** How many objects of the namespaces report each reason. */
async function reasonsOf({ controlPlane }: World, namespaces: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of musterKinds)
    for (const object of await controlPlane.admin.list(kindRef(kind))) {
      if (!namespaces.includes(object.metadata.namespace ?? "")) continue;
      const reason = `${kind} ${conditionOf(object, "Ready")?.reason ?? "none"}`;
      counts[reason] = (counts[reason] ?? 0) + 1;
    }
  return counts;
}

function slowest(edits: readonly Edit[]): Edit[] {
  return edits.toSorted((one, other) => other.ready - one.ready).slice(0, 10);
}

/** Creates the objects, `rate` per second, or lets the API server only check them. */
async function apply(
  { controlPlane }: World,
  objects: readonly KubeObject[],
  rate: number,
  signal: AbortSignal,
  dryRun: boolean,
): Promise<void> {
  const startedAt = performance.now();
  const created: Promise<unknown>[] = [];
  for (const [index, object] of objects.entries()) {
    const waitMs = startedAt + (index / rate) * 1000 - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    signal.throwIfAborted();
    const creation = controlPlane.admin.create(object, { dryRun });
    creation.catch(() => {});
    created.push(creation);
  }
  await Promise.all(created);
}

/** Whether the object reports why it is not Ready. */
function reportsProblem(object: KubeObject | undefined): boolean {
  return conditionOf(object, "Ready")?.status === "False";
}
