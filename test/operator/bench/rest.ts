import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds } from "#test/support/bench/process-usage.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { type Traffic, trafficBetween } from "#test/support/harness/traffic.ts";
import type { World } from "./world.ts";

/** Each interval is up to a tenth longer or shorter. */
const jitter = 0.1;

/** What an operator does while nothing changes. */
export interface Rest {
  /** In each interval. */
  readonly traffic: readonly Traffic[];
  /** CPU time in all of them together. */
  readonly cpuSeconds: number;
}

/**
 * Measures some resync intervals at rest. Call it after the start: the first resync still belongs to it, because what lies
 * undeclared in a group that was edited, and above a Tenant's groups, is known only then.
 */
export async function atRest(
  { counter }: World,
  { process: { pid } }: Operator,
  resyncSeconds: number,
  intervals: number,
): Promise<Rest> {
  const traffic: Traffic[] = [];
  await sleep(resyncSeconds * (1 + jitter) * 1000);
  let before = await counter.settled();
  const cpuBefore = await cpuSeconds(pid);
  for (let interval = 0; interval < intervals; interval += 1) {
    await sleep(resyncSeconds * 1000);
    const after = await counter.read();
    traffic.push(trafficBetween(before, after));
    before = after;
  }
  return { traffic, cpuSeconds: (await cpuSeconds(pid)) - cpuBefore };
}

/** The number of requests in all intervals together. */
export function total({ traffic }: Rest, of: (traffic: Traffic) => number): number {
  return traffic.reduce((sum, one) => sum + of(one), 0);
}
