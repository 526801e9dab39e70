import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "#test/support/bench/percentile.ts";
import { ageSeconds } from "#test/support/bench/process-usage.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { type Traffic, trafficBetween } from "#test/support/harness/traffic.ts";
import { count, type Figure, seconds } from "./figure.ts";
import { inTime, latest } from "./apply.ts";
import type { World } from "./world.ts";

const pollMs = 50;

export interface Restart {
  readonly operator: Operator;
  readonly figures: readonly Figure[];
  readonly traffic: Traffic;
}

/**
 * Starts an operator on objects that are all Ready, except for `edited`, which were edited while none ran.
 * @param objects the number of all objects
 */
export async function restart(
  world: World,
  objects: number,
  edited: readonly KubeObject[],
  start: () => Promise<Operator>,
): Promise<Restart> {
  const before = await world.counter.read();
  const ready: Promise<number>[] = [];
  for (const object of edited) {
    const spec = { description: "Edited while no operator ran" };
    const { metadata } = await world.controlPlane.admin.patch(object, { spec });
    ready.push(world.observer.ready(object, metadata.generation ?? 0));
  }
  const operator = await start();
  const { pid } = operator.process;
  const startedAt = performance.now() - (await ageSeconds(pid)) * 1000;
  while (!(await fetch(`${operator.url}/readyz`)).ok) await sleep(pollMs);
  const readySeconds = await ageSeconds(pid);
  const observed = allObserved(operator, objects);
  const editSeconds = (await inTime("edits", world.observer, ready)).map((at) => (at - startedAt) / 1000);
  const observedSeconds = ((await observed) - startedAt) / 1000;
  const traffic = trafficBetween(before, await world.counter.settled(120_000));
  return {
    operator,
    traffic,
    figures: [
      seconds("From the start until /readyz succeeds", readySeconds),
      seconds(`… until ${edited.length} edits made before are Ready, p50`, percentile(editSeconds, 0.5)),
      seconds(`… until all of them are`, latest(editSeconds)),
      seconds("… until every object has been observed", observedSeconds),
      count("Calls to the platform by the restart", traffic.platformCalls),
      count(
        "Writes to Kubernetes by the restart, without those for the edits",
        traffic.kubernetesWrites - edited.length,
      ),
    ],
  };
}

/** When the operator has reconciled as many objects as there are, and none waits in a queue. */
async function allObserved(operator: Operator, objects: number): Promise<number> {
  for (;;) {
    const text = await operator.metrics();
    const at = performance.now();
    const sum = (metric: string, label: string) =>
      [...text.matchAll(new RegExp(`^${metric}\\{([^}]*)\\} (\\S+)$`, "gm"))]
        .filter(([, labels = ""]) => new RegExp(`${label}="(group|identity|rolebinding)"`, "i").test(labels))
        .reduce((total, [, , value]) => total + Number(value), 0);
    if (sum("controller_runtime_reconcile_total", "controller") >= objects && sum("workqueue_depth", "name") === 0)
      return at;
    await sleep(pollMs * 4);
  }
}
