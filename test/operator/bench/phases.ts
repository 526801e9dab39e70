import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { collectionOf } from "#test/support/harness/comparison.ts";
import { musterKinds } from "#test/support/harness/muster-objects.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import type { System } from "#test/support/harness/system.ts";
import { within } from "#test/support/within.ts";
import { type TrafficCounter, trafficBetween } from "#test/support/harness/traffic.ts";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import type { Observer } from "#test/support/bench/observer.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { ageSeconds, cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";

/** The parts that all phases use. */
export interface Bench {
  readonly controlPlane: ControlPlane;
  readonly system: System;
  readonly observer: Observer;
  readonly counter: TrafficCounter;
  readonly tree: readonly KubeObject[];
}

/** Concurrent requests of the load: half of the number that saturates the API server. */
const loadConcurrency = 8;
const edits = 100;
export const phaseTimeoutSeconds = 600;

/** Creates the whole tree and waits until every object is Ready. */
export async function create({ controlPlane, system, observer, counter, tree }: Bench, operator: Operator) {
  const before = await counter.settled();
  const pids = {
    operator: operator.process.pid,
    platform: system.platformPid,
    apiServer: controlPlane.apiServerPid,
    bench: process.pid,
  };
  const cpuBefore = await cpuOf(pids);
  const postedAt: number[] = [];
  const readyAt = tree.map((object) => observer.ready(object, 1));
  const startedAt = performance.now();
  await inParallel([...tree.entries()], loadConcurrency, async ([index, object]) => {
    postedAt[index] = performance.now();
    await controlPlane.admin.create(object);
  });
  const loadSeconds = (performance.now() - startedAt) / 1000;
  const ready = await within(
    () => `creating ${tree.length} objects, of which ${observer.waiting} are not Ready,`,
    phaseTimeoutSeconds,
    Promise.all(readyAt),
  );
  const duration = (performance.now() - startedAt) / 1000;
  const seconds = ready.map((at, index) => (at - (postedAt[index] ?? 0)) / 1000);
  const after = await counter.settled();
  const cpuAfter = await cpuOf(pids);
  await checkPlatform(system, tree);
  const memory = await memoryMiB(pids.operator);
  return {
    seconds: duration,
    p50Seconds: percentile(seconds, 0.5),
    p99Seconds: percentile(seconds, 0.99),
    loadSeconds,
    cpu: {
      operator: cpuAfter.operator - cpuBefore.operator,
      platform: cpuAfter.platform - cpuBefore.platform,
      apiServer: cpuAfter.apiServer - cpuBefore.apiServer,
      bench: cpuAfter.bench - cpuBefore.bench,
    },
    memory,
    traffic: trafficBetween(before, after),
  };
}

/** Edits descriptions one after the other; each edit waits until the previous object is Ready. */
export async function edit(bench: Bench) {
  const { counter, system } = bench;
  const described = bench.tree.filter(({ kind }) => kind !== "RoleBinding");
  const before = await counter.read();
  const seconds: number[] = [];
  const edited: { readonly name: string; readonly description: string; readonly at: number }[] = [];
  for (let number = 0; number < edits; number += 1) {
    const object = described[Math.floor((number * described.length) / edits)] as KubeObject;
    const description = `Edited as number ${number}`;
    const at = Date.now();
    const startedAt = performance.now();
    const ready = await describe(bench, object, description);
    seconds.push((ready - startedAt) / 1000);
    edited.push({ name: object.metadata.name, description, at });
  }
  const after = await counter.settled();
  const resources = [...(await system.admin.list("groups")), ...(await system.admin.list("identities"))];
  // In a small tree an object is edited more than once; the platform shows the last edit.
  const last = new Map(edited.map((one) => [one.name, one]));
  const atPlatform = [...last.values()].map(({ name, description, at }) => {
    const resource = resources.find((one) => one.name === name);
    if (resource?.description.startsWith(description) !== true)
      throw new Error(
        `${name} is Ready, but its description on the platform is "${resource?.description}", not "${description}"`,
      );
    return (Date.parse(resource["updateTime"]) - at) / 1000;
  });
  return {
    p50Seconds: percentile(seconds, 0.5),
    p99Seconds: percentile(seconds, 0.99),
    atPlatform: { p50Seconds: percentile(atPlatform, 0.5), p99Seconds: percentile(atPlatform, 0.99) },
    traffic: trafficBetween(before, after),
  };
}

/** Counts the operator's traffic and its CPU time at rest. */
export async function rest({ counter }: Bench, operator: Operator, seconds: number) {
  const before = await counter.read();
  const cpuBefore = await cpuSeconds(operator.process.pid);
  await sleep(seconds * 1000);
  const cpu = (await cpuSeconds(operator.process.pid)) - cpuBefore;
  return { seconds, cpu, traffic: trafficBetween(before, await counter.read()) };
}

/** Restarts the operator: every object is Ready, except for one that is edited while no operator runs. */
export async function restart(bench: Bench, stop: () => Promise<void>, start: () => Promise<Operator>) {
  const { counter, tree } = bench;
  await stop();
  const before = await counter.read();
  const edited = tree[0] as KubeObject;
  const ready = describe(bench, edited, "Edited while no operator runs");
  ready.catch(() => {});
  const operator = await start();
  while (!(await fetch(`${operator.url}/readyz`)).ok) await sleep(2);
  const readyAt = performance.now();
  const readySeconds = await ageSeconds(operator.process.pid);
  const editSeconds = Math.max(((await ready) - readyAt) / 1000, 0);
  const after = await counter.settled();
  const memory = await memoryMiB(operator.process.pid);
  return { operator, readySeconds, editSeconds, memory, traffic: trafficBetween(before, after) };
}

/** Deletes all objects in the order of their creation. Parents come first, so they must wait for their children. */
export async function deleteAll({ controlPlane, system, observer, counter, tree }: Bench, operator: Operator) {
  const before = await counter.read();
  const cpuBefore = await cpuSeconds(operator.process.pid);
  const startedAt = performance.now();
  await inParallel(tree, loadConcurrency, (object) => controlPlane.admin.delete(object));
  await within(
    () => `deleting ${tree.length} objects, of which ${observer.waiting} still exist,`,
    phaseTimeoutSeconds,
    Promise.all(tree.map((object) => observer.gone(object))),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await counter.settled();
  const cpu = (await cpuSeconds(operator.process.pid)) - cpuBefore;
  await checkPlatform(system, []);
  return { seconds, cpu, traffic: trafficBetween(before, after) };
}

/** Changes a description. @returns the time at which the object was seen Ready again */
async function describe({ controlPlane, observer }: Bench, object: KubeObject, description: string): Promise<number> {
  const { metadata } = await controlPlane.admin.patch(object, { spec: { description } });
  const ready = observer.ready(object, metadata.generation ?? 0);
  return within(`editing ${object.kind} ${metadata.name}`, phaseTimeoutSeconds, ready);
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

async function cpuOf<K extends string>(pids: Readonly<Record<K, number>>): Promise<Record<K, number>> {
  const entries = Object.entries<number>(pids).map(async ([name, pid]) => [name, await cpuSeconds(pid)]);
  return Object.fromEntries(await Promise.all(entries)) as Record<K, number>;
}
