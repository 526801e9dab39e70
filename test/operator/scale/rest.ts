import { setTimeout as sleep } from "node:timers/promises";
import { type Traffic, trafficBetween } from "#test/support/harness/traffic.ts";
import { count, type Figure } from "./figure.ts";
import type { World } from "./world.ts";

const intervals = 3;

/** Each interval is up to a tenth longer or shorter. */
const jitter = 0.1;

/**
 * The operator's traffic at rest, in each of three resync intervals. Call it after the start: the first resync still belongs to
 * it, because what lies undeclared in a group that was edited, and above a Tenant's groups, is known only then.
 */
export async function atRest({ counter }: World, resyncSeconds: number): Promise<Traffic[]> {
  const measured: Traffic[] = [];
  await sleep(resyncSeconds * (1 + jitter) * 1000);
  let before = await counter.settled();
  for (let interval = 0; interval < intervals; interval += 1) {
    await sleep(resyncSeconds * 1000);
    const after = await counter.read();
    measured.push(trafficBetween(before, after));
    before = after;
  }
  return measured;
}

/**
 * @param objects the number of objects at rest
 * @param credentials with how many credentials they are listed
 */
export function restFigures(rest: readonly Traffic[], objects: number, credentials: number): Figure[] {
  const sum = (of: (traffic: Traffic) => number) => rest.reduce((total, traffic) => total + of(traffic), 0);
  // Pages of 200. With each credential, the last page of each of three kinds need not be full, and three calls read its permissions.
  const calls = Math.ceil(objects / 200) + 6 * credentials;
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
