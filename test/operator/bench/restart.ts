import { setTimeout as sleep } from "node:timers/promises";
import { ageSeconds } from "#test/support/bench/process-usage.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { type Traffic, trafficBetween } from "#test/support/harness/traffic.ts";
import { inTime } from "./apply.ts";
import type { World } from "./world.ts";

const pollMs = 10;

/** A start of an operator. Times are in seconds from the start of its process. */
export interface Restart {
  readonly operator: Operator;
  /** Until /readyz responds with success. */
  readonly ready: number;
  /** Until each of the edited objects was seen Ready. */
  readonly edits: readonly number[];
  /** Until the operator had reconciled every object. */
  readonly observed: number;
  /** Until it was at rest, including the edits. */
  readonly traffic: Traffic;
}

/**
 * Starts an operator on objects that are all Ready, except for `edited`, which were edited while none ran.
 * @param objects the number of all objects
 */
export async function restart(
  { counter, controlPlane, observer, startOperator }: World,
  objects: number,
  edited: readonly KubeObject[],
  flags: readonly string[] = [],
): Promise<Restart> {
  const before = await counter.read();
  const awaited: Promise<number>[] = [];
  for (const object of edited) {
    const { metadata } = await controlPlane.admin.patch(object, {
      spec: { description: "Edited while no operator ran" },
    });
    awaited.push(observer.ready(object, metadata.generation ?? 0));
  }
  const operator = await startOperator(flags);
  const { pid } = operator.process;
  const startedAt = performance.now() - (await ageSeconds(pid)) * 1000;
  while (!(await fetch(`${operator.url}/readyz`)).ok) await sleep(pollMs);
  const ready = await ageSeconds(pid);
  const observed = allObserved(operator, objects);
  const edits = (await inTime("edits", observer, awaited)).map((at) => (at - startedAt) / 1000);
  return {
    operator,
    ready,
    edits,
    observed: ((await observed) - startedAt) / 1000,
    traffic: trafficBetween(before, await counter.settled(120_000)),
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
        .reduce((sumOf, [, , value]) => sumOf + Number(value), 0);
    if (sum("controller_runtime_reconcile_total", "controller") >= objects && sum("workqueue_depth", "name") === 0)
      return at;
    await sleep(200);
  }
}
