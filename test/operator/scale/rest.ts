import { setTimeout as sleep } from "node:timers/promises";
import { type Traffic, trafficBetween } from "#test/support/harness/traffic.ts";
import { count, type Figure } from "./figure.ts";
import type { World } from "./world.ts";

const intervals = 3;

/** The operator's traffic at rest, in each of three resync intervals. Call it once the operator has settled. */
export async function atRest({ counter }: World, resyncSeconds: number): Promise<Traffic[]> {
  const measured: Traffic[] = [];
  let before = await counter.read();
  for (let interval = 0; interval < intervals; interval += 1) {
    await sleep(resyncSeconds * 1000);
    const after = await counter.read();
    measured.push(trafficBetween(before, after));
    before = after;
  }
  return measured;
}

export function restFigures(rest: readonly Traffic[], calls: number): Figure[] {
  const sum = (of: (traffic: Traffic) => number) => rest.reduce((total, traffic) => total + of(traffic), 0);
  return [
    count(
      "Writes to Kubernetes in three intervals at rest",
      sum(({ kubernetesWrites }) => kubernetesWrites),
      0,
    ),
    count(
      "Writes of events in three intervals at rest",
      sum(({ eventWrites }) => eventWrites),
      0,
    ),
    count("Calls to the platform per interval at rest", sum(({ platformCalls }) => platformCalls) / rest.length, calls),
  ];
}
