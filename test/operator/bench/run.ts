import { setTimeout as sleep } from "node:timers/promises";
import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import { applyAdmissionPolicy } from "#test/deploy/admission-policy.ts";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import { System } from "#test/support/harness/system.ts";
import { thisMachine } from "#test/support/bench/machine.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { TrafficCounter } from "#test/support/harness/traffic.ts";
import { Observer } from "#test/support/bench/observer.ts";
import type { BenchOptions } from "./options.ts";
import { operations } from "./operations.ts";
import { type Bench, create, deleteAll, edit, rest, restart } from "./phases.ts";
import type { Result } from "./result.ts";
import { treeOf } from "./tree.ts";

const namespace = "bench";
/** The number of resync intervals at rest. */
const restIntervals = 4;

export interface Programs {
  readonly platform: Program;
  readonly operator: Program;
}

/** Measures once, with servers of its own. */
export async function run(
  options: BenchOptions,
  programs: Programs,
  progress: (phase: string) => void,
): Promise<Result> {
  await using resources = new AsyncDisposableStack();
  progress("starting the control plane");
  const controlPlane = resources.adopt(await startControlPlane({ audit: true }), (one) => one.stop());
  progress("starting the platform");
  const system = resources.adopt(
    await System.start({
      controlPlane,
      namespaces: [namespace],
      program: programs.platform.file,
      run: () => ({ env: programs.platform.env }),
      rbac: await loadOperatorRbac(),
      platformFlags: ["--latency", `${options.platformLatency}ms`],
    }),
    (one) => one.stop(),
  );
  if (options.admissionPolicy) await applyAdmissionPolicy(controlPlane.admin);
  const observer = resources.adopt(new Observer(controlPlane.admin, namespace), (one) => one.stop());
  const bench: Bench = {
    controlPlane,
    system,
    observer,
    counter: new TrafficCounter(controlPlane, system),
    tree: treeOf(options.objects, namespace, system.root),
  };

  const startOperator = (flags: readonly string[] = []) => system.startOperator(flags, { program: programs.operator });
  let operator = await startOperator();
  progress(`creating ${options.objects} objects`);
  const created = await create(bench, operator);
  progress("editing");
  const edited = await edit(bench);
  progress("at rest");
  await operator.process.stop();
  // A shorter interval than in production, so that the measurement covers several resyncs.
  operator = await startOperator(["--resync", `${options.resync}s`]);
  // The first lists are part of the start, and so is what only they show: the access in each group.
  await operator.process.logged("leading");
  await sleep(options.resync * 1000);
  await bench.counter.settled();
  const rested = await rest(bench, operator, restIntervals * options.resync);
  progress("restarting");
  const restarted = await restart(
    bench,
    () => operator.process.stop(),
    () => startOperator(),
  );
  progress("editing, deleting and creating a part again");
  const costs = await operations(bench, restarted.operator);
  progress("deleting");
  await restarted.operator.process.stop();
  // One that has created none of the objects.
  operator = await startOperator();
  await operator.process.logged("leading");
  await bench.counter.settled();
  const deleted = await deleteAll(bench, operator);
  await operator.process.stop();

  const perObject = (count: number) => count / options.objects;
  return {
    objects: options.objects,
    seconds: created.seconds,
    objectsPerSecond: options.objects / created.seconds,
    p50Seconds: created.p50Seconds,
    p99Seconds: created.p99Seconds,
    platformCallsPerObject: perObject(created.traffic.platformCalls),
    kubernetesWritesPerObject: perObject(created.traffic.kubernetesWrites),
    operatorRssMiB: created.memory.now,
    operatorCpuSeconds: created.cpu.operator,
    edit: { p50Seconds: edited.p50Seconds, p99Seconds: edited.p99Seconds },
    rest: {
      seconds: rested.seconds,
      platformCalls: rested.traffic.platformCalls,
      kubernetesWrites: rested.traffic.kubernetesWrites,
    },
    restart: {
      readySeconds: restarted.readySeconds,
      platformCalls: restarted.traffic.platformCalls,
      editSeconds: restarted.editSeconds,
    },
    delete: {
      seconds: deleted.seconds,
      platformCallsPerObject: perObject(deleted.traffic.platformCalls),
      kubernetesWritesPerObject: perObject(deleted.traffic.kubernetesWrites),
    },
    operations: costs,
    settings: {
      platformLatency: options.platformLatency,
      admissionPolicy: options.admissionPolicy,
      resync: options.resync,
    },
    machine: thisMachine(),
    breakdown: {
      loadSeconds: created.loadSeconds,
      cpuSeconds: created.cpu,
      operatorPeakRssMiB: created.memory.peak,
      operatorRestartedRssMiB: restarted.memory.now,
      create: created.traffic,
      editAtPlatform: edited.atPlatform,
      edit: edited.traffic,
      rest: rested.traffic,
      restOperatorCpuSeconds: rested.cpu,
      restart: restarted.traffic,
      delete: deleted.traffic,
      deleteOperatorCpuSeconds: deleted.cpu,
    },
  };
}
