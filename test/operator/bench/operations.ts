import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { tenantWrites, type Traffic, trafficBetween } from "#test/support/harness/traffic.ts";
import { within } from "#test/support/within.ts";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import { count, type Figure } from "#test/support/bench/outcome.ts";
import { cpuSeconds } from "#test/support/bench/process-usage.ts";
import type { World } from "./world.ts";

const timeoutSeconds = 600;

/** One after the other, each after the previous one has taken effect; or as fast as the load can. */
const concurrencyOf = { "one by one": 1, burst: 8 } as const;
type Pace = keyof typeof concurrencyOf;

/** A tenth of the groups with their members one by one, and three tenths in a burst. */
const shareOf: Readonly<Record<Pace, number>> = { "one by one": 0.1, burst: 0.3 };

const measuredKinds = ["Group", "Identity", "RoleBinding"] as const;
/** Groups with their members: nine objects. */
const groupSize = 9;

type Operation = "create" | "edit" | "delete";
type MeasuredKind = (typeof measuredKinds)[number];

/** What an operation on objects of one kind costs, until nothing follows from it any more. */
interface OperationCost {
  /** Calls to the platform, writes to Kubernetes without those to Tenants, and milliseconds of CPU time, per object. */
  readonly figure: Figure;
  readonly traffic: Traffic;
}

/**
 * Edits, deletes and creates again a part of the tree, one kind after the other. The operator has not created these objects
 * itself, so that it knows only what it has listed and read.
 */
export async function operations(
  world: World,
  tree: readonly KubeObject[],
  operator: Operator,
): Promise<OperationCost[]> {
  const { counter } = world;
  const costs: OperationCost[] = [];
  const measure = async (operation: Operation, kind: MeasuredKind, pace: Pace) => {
    const objects = partOf(tree, pace).filter((object) => object.kind === kind);
    const before = await counter.settled();
    const cpuBefore = await cpuSeconds(operator.process.pid);
    const each = (object: KubeObject) =>
      within(`to ${operation} ${kind} ${object.metadata.name}`, timeoutSeconds, actions[operation](world, object));
    await inParallel(objects, concurrencyOf[pace], each);
    const traffic = trafficBetween(before, await counter.settled());
    const cpu = (await cpuSeconds(operator.process.pid)) - cpuBefore;
    const sums = [traffic.platformCalls, traffic.kubernetesWrites - tenantWrites(traffic), cpu * 1000];
    const name = `${operation} ${objects.length} × ${kind}, ${pace}`;
    costs.push({
      figure: count(
        name,
        sums.map((sum) => sum / objects.length),
      ),
      traffic,
    });
  };
  for (const pace of ["one by one", "burst"] as const) {
    for (const kind of measuredKinds) await measure("edit", kind, pace);
    // A group can be deleted once it is empty, and an identity once nothing is bound to it.
    for (const kind of measuredKinds.toReversed()) await measure("delete", kind, pace);
    for (const kind of measuredKinds) await measure("create", kind, pace);
  }
  return costs;
}

const actions: Readonly<Record<Operation, (world: World, object: KubeObject) => Promise<unknown>>> = {
  create: async ({ controlPlane, observer }, object) => {
    await controlPlane.admin.create(object);
    await observer.ready(object, 1);
  },
  edit: async ({ controlPlane, observer }, object) => {
    const { metadata } = await controlPlane.admin.patch(object, { spec: editOf(object) });
    await observer.ready(object, metadata.generation ?? 0);
  },
  delete: async ({ controlPlane, observer }, object) => {
    await controlPlane.admin.delete(object);
    await observer.gone(object);
  },
};

/** Everything else of a role binding is immutable. */
function editOf({ kind }: KubeObject): object {
  return kind === "RoleBinding" ? { expiresAt: "2099-01-01T00:00:00Z" } : { description: "Edited once more" };
}

/** Groups without children, with their members: from the end of the tree, and different ones for each pace. */
function partOf(tree: readonly KubeObject[], pace: Pace): readonly KubeObject[] {
  const groups = Math.floor(tree.length / groupSize);
  const oneByOne = Math.max(1, Math.floor(groups * shareOf["one by one"]));
  const burst = Math.max(1, Math.floor(groups * shareOf.burst));
  const end = groups - (pace === "burst" ? oneByOne : 0);
  return tree.slice((end - (pace === "burst" ? burst : oneByOne)) * groupSize, end * groupSize);
}
