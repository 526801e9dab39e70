import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { tenantWrites, type Traffic, trafficBetween } from "#test/support/harness/traffic.ts";
import { within } from "#test/support/within.ts";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import { cpuSeconds } from "#test/support/bench/process-usage.ts";
import { type Bench, phaseTimeoutSeconds } from "./phases.ts";

/** One after the other, each after the previous one has taken effect; or as fast as the load can. */
const concurrencyOf = { "one by one": 1, burst: 8 } as const;
type Pace = keyof typeof concurrencyOf;

/** A tenth of the groups with their members one by one, and three tenths in a burst. */
const shareOf: Readonly<Record<Pace, number>> = { "one by one": 0.1, burst: 0.3 };

const measuredKinds = ["Group", "Identity", "RoleBinding"] as const;
/** Groups with their members: nine objects. */
const groupSize = 9;

/** What an operation on objects of one kind costs, until nothing follows from it any more. */
export interface OperationCost {
  readonly operation: "create" | "edit" | "delete";
  readonly kind: (typeof measuredKinds)[number];
  readonly pace: Pace;
  readonly objects: number;
  readonly platformCallsPerObject: number;
  /** Without those to Tenants. */
  readonly kubernetesWritesPerObject: number;
  readonly operatorCpuMillisecondsPerObject: number;
  readonly traffic: Traffic;
}

/**
 * Edits, deletes and creates again a part of the tree, one kind after the other. The operator has not created these objects
 * itself, so that it knows only what it has listed and read.
 */
export async function operations(bench: Bench, operator: Operator): Promise<OperationCost[]> {
  const costs: OperationCost[] = [];
  const measure = async (operation: OperationCost["operation"], kind: OperationCost["kind"], pace: Pace) => {
    const objects = partOf(bench.tree, pace).filter((object) => object.kind === kind);
    const before = await bench.counter.settled();
    const cpuBefore = await cpuSeconds(operator.process.pid);
    const each = (object: KubeObject) =>
      within(`to ${operation} ${kind} ${object.metadata.name}`, phaseTimeoutSeconds, actions[operation](bench, object));
    await inParallel(objects, concurrencyOf[pace], each);
    const traffic = trafficBetween(before, await bench.counter.settled());
    const cpu = (await cpuSeconds(operator.process.pid)) - cpuBefore;
    costs.push({
      operation,
      kind,
      pace,
      objects: objects.length,
      platformCallsPerObject: traffic.platformCalls / objects.length,
      kubernetesWritesPerObject: (traffic.kubernetesWrites - tenantWrites(traffic)) / objects.length,
      operatorCpuMillisecondsPerObject: (cpu * 1000) / objects.length,
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

const actions: Readonly<Record<OperationCost["operation"], (bench: Bench, object: KubeObject) => Promise<unknown>>> = {
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
