import {
  count,
  type Figure,
  heading,
  mebibytes,
  milliseconds,
  type Outcome,
  seconds,
} from "#test/support/bench/outcome.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { collectionOf } from "#test/support/harness/comparison.ts";
import { musterKinds } from "#test/support/harness/muster-objects.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import type { System } from "#test/support/harness/system.ts";
import { type Traffic, trafficBetween } from "#test/support/harness/traffic.ts";
import { createAll, deleteAll } from "./apply.ts";
import { described, type Edit, editOneByOne, readyMilliseconds } from "./edits.ts";
import { operations } from "./operations.ts";
import type { OperatorOptions } from "./options.ts";
import { atRest, total } from "./rest.ts";
import { restart } from "./restart.ts";
import { treeOf } from "./tree.ts";
import type { World } from "./world.ts";

const editCount = 100;
const restIntervals = 4;

/** What a part of the run measured. */
interface Part {
  readonly figures: readonly Figure[];
  readonly traffic: Traffic | readonly Traffic[];
}

/** Creates a tree of objects, edits it, lets it rest, restarts the operator, and deletes it. */
export async function costs(
  world: World,
  namespace: string,
  { objects, resync }: OperatorOptions,
): Promise<Omit<Outcome, "case">> {
  const { counter, run, system, startOperator } = world;
  const tree = treeOf(objects, namespace, system.root);
  const first = await startOperator();
  run.progress(`creating ${objects} objects`);
  const created = await create(world, first, tree);
  run.progress("editing");
  const edited = await edit(world, tree);

  run.progress("at rest");
  await first.process.stop();
  // A shorter interval than in production, so that the measurement covers several resyncs.
  const resting = await startOperator(["--resync", `${resync}s`]);
  await resting.process.logged("leading");
  const rested = await rest(world, resting, resync);

  run.progress("restarting");
  await resting.process.stop();
  const restarted = await restart(world, objects, tree.slice(0, 1));
  const restartedMemory = await memoryMiB(restarted.operator.process.pid);

  run.progress("editing, deleting and creating a part again");
  const costsOfOperations = await operations(world, tree, restarted.operator);

  run.progress("deleting");
  await restarted.operator.process.stop();
  // One that has created none of the objects.
  const last = await startOperator();
  await last.process.logged("leading");
  await counter.settled();
  const deleted = await remove(world, last, tree);
  await last.process.stop();
  return {
    setting: `resync every ${resync} s while at rest`,
    figures: [
      heading("Creation"),
      ...created.figures,
      heading("Edit"),
      ...edited.figures,
      heading("Rest"),
      ...rested.figures,
      heading("Restart"),
      seconds("Seconds to ready", restarted.ready),
      seconds(
        "Seconds from ready until the edit made during the restart",
        Math.max(...restarted.edits, restarted.ready) - restarted.ready,
      ),
      count("Calls to the platform", restarted.traffic.platformCalls),
      count("Writes to Kubernetes (one is for the edit)", restarted.traffic.kubernetesWrites),
      mebibytes("Operator's memory", restartedMemory.now),
      heading("Deletion"),
      ...deleted.figures,
      heading("Calls / writes / operator's CPU (ms) per object"),
      ...costsOfOperations.map(({ figure }) => figure),
    ],
    details: {
      create: created.traffic,
      edit: edited.traffic,
      rest: rested.traffic,
      restart: restarted.traffic,
      delete: deleted.traffic,
      operations: costsOfOperations.map(({ traffic }) => traffic),
    },
  };
}

async function create(world: World, operator: Operator, tree: readonly KubeObject[]): Promise<Part> {
  const { controlPlane, system, counter } = world;
  const pids = [operator.process.pid, system.platformPid, controlPlane.apiServerPid, process.pid];
  const cpuOf = () => Promise.all(pids.map(cpuSeconds));
  const before = await counter.settled();
  const cpuBefore = await cpuOf();
  const creation = await createAll(world, tree);
  const traffic = trafficBetween(before, await counter.settled());
  const cpu = (await cpuOf()).map((after, index) => ((after - (cpuBefore[index] ?? 0)) / tree.length) * 1000);
  await checkPlatform(system, tree);
  const memory = await memoryMiB(operator.process.pid);
  const cpuNames = ["Operator's", "Platform's", "API server's", "Benchmark's"];
  return {
    traffic,
    figures: [
      count("Objects per second", tree.length / creation.total),
      seconds("Seconds, total / load only", [creation.total, creation.load]),
      seconds("Seconds to Ready, p50 / p99", [percentile(creation.each, 0.5), percentile(creation.each, 0.99)]),
      count("Calls to the platform per object", traffic.platformCalls / tree.length),
      count("Writes to Kubernetes per object", traffic.kubernetesWrites / tree.length),
      count("Writes of events, total", traffic.eventWrites),
      ...cpuNames.map((name, index) => milliseconds(`${name} CPU per object`, cpu[index] ?? Number.NaN)),
      mebibytes("Operator's memory, at rest / peak", [memory.now, memory.peak]),
    ],
  };
}

async function edit(world: World, tree: readonly KubeObject[]): Promise<Part> {
  const all = described(tree);
  const objects = Array.from(
    { length: editCount },
    (_, n) => all[Math.floor((n * all.length) / editCount)] as KubeObject,
  );
  const before = await world.counter.read();
  const edits = await editOneByOne(world, objects, editCount);
  const traffic = trafficBetween(before, await world.counter.settled());
  const atPlatform = await millisecondsToPlatform(world, edits);
  return {
    traffic,
    figures: [
      milliseconds("Milliseconds to Ready, p50 / p99", readyMilliseconds(edits)),
      milliseconds("Milliseconds to the platform, p50 / p99", [
        percentile(atPlatform, 0.5),
        percentile(atPlatform, 0.99),
      ]),
    ],
  };
}

/** From the PATCH until the resource's `updateTime` on the platform. @throws {Error} if it does not have the description */
async function millisecondsToPlatform({ system }: World, edits: readonly Edit[]): Promise<number[]> {
  const resources = [...(await system.admin.list("groups")), ...(await system.admin.list("identities"))];
  // In a small tree an object is edited more than once; the platform shows the last edit.
  const last = new Map(edits.map((one) => [one.name, one]));
  return [...last.values()].map(({ name, description, at }) => {
    const resource = resources.find((one) => one.name === name);
    if (resource?.description.startsWith(description) !== true)
      throw new Error(
        `${name} is Ready, but its description on the platform is "${resource?.description}", not "${description}"`,
      );
    return Date.parse(resource["updateTime"]) - at;
  });
}

async function rest(world: World, operator: Operator, resync: number): Promise<Part> {
  const rested = await atRest(world, operator, resync, restIntervals);
  const calls = total(rested, ({ platformCalls }) => platformCalls);
  const writes = total(rested, ({ kubernetesWrites }) => kubernetesWrites);
  return {
    traffic: rested.traffic,
    figures: [
      count("Seconds, intervals", [restIntervals * resync, restIntervals]),
      count("Calls to the platform", calls),
      count("Writes to Kubernetes / of the Lease", [writes, total(rested, ({ leaseWrites }) => leaseWrites)]),
      count(
        "One resync: calls / writes / operator's CPU (ms)",
        [calls, writes, rested.cpuSeconds * 1000].map((sum) => sum / restIntervals),
      ),
    ],
  };
}

/** Deletes all objects in the order of their creation. Parents come first, so they must wait for their children. */
async function remove(world: World, operator: Operator, tree: readonly KubeObject[]): Promise<Part> {
  const { counter, system } = world;
  const before = await counter.read();
  const cpuBefore = await cpuSeconds(operator.process.pid);
  const duration = await deleteAll(world, tree);
  const traffic = trafficBetween(before, await counter.settled());
  const cpu = (await cpuSeconds(operator.process.pid)) - cpuBefore;
  await checkPlatform(system, []);
  return {
    traffic,
    figures: [
      count("Objects per second", tree.length / duration),
      count("Calls to the platform per object", traffic.platformCalls / tree.length),
      count("Writes to Kubernetes per object", traffic.kubernetesWrites / tree.length),
      milliseconds("Operator's CPU per object", (cpu / tree.length) * 1000),
    ],
  };
}

/** @throws {Error} unless the platform has the resources of the tree, and no others except those of `System` */
async function checkPlatform({ admin, preexisting }: System, tree: readonly KubeObject[]): Promise<void> {
  for (const kind of musterKinds) {
    const collection = collectionOf[kind];
    const expected = tree.filter((object) => object.kind === kind).length;
    const existing = (await admin.list(collection)).filter(({ uid }) => !preexisting.has(uid));
    if (existing.length !== expected)
      throw new Error(`the platform has ${existing.length} ${collection} instead of ${expected}`);
  }
}
