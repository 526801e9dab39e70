import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import type { System } from "#test/support/harness/system.ts";
import { type Counter, trafficBetween } from "#test/support/harness/traffic.ts";
import { inParallel } from "./in-parallel.ts";
import type { Observer } from "./observer.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { ageSeconds, cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";

/** What all phases work on. */
export interface Bench {
  readonly controlPlane: ControlPlane;
  readonly system: System;
  readonly observer: Observer;
  readonly counter: Counter;
  readonly tree: readonly KubeObject[];
}

/** The load's requests under way at once: half of what saturates the API server. */
const loadWidth = 8;
const edits = 100;
const phaseTimeoutMs = 600_000;

/** Applies the whole tree and waits until all of it is Ready. */
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
  await inParallel([...tree.entries()], loadWidth, async ([index, object]) => {
    postedAt[index] = performance.now();
    await controlPlane.admin.create(object);
  });
  const loadSeconds = (performance.now() - startedAt) / 1000;
  const ready = await within(
    Promise.all(readyAt),
    () => `${observer.waiting} of ${tree.length} objects did not turn Ready`,
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

/** Changes one description after the other, each once the one before is Ready. */
export async function edit(bench: Bench) {
  const { counter, system } = bench;
  const described = bench.tree.filter(({ kind }) => kind !== "RoleBinding");
  const before = await counter.read();
  const seconds: number[] = [];
  const made: { readonly name: string; readonly description: string; readonly at: number }[] = [];
  for (let number = 0; number < edits; number += 1) {
    const object = described[Math.floor((number * described.length) / edits)] as KubeObject;
    const description = `Edited as number ${number}`;
    const at = Date.now();
    const startedAt = performance.now();
    const ready = await describe(bench, object, description);
    seconds.push((ready - startedAt) / 1000);
    made.push({ name: object.metadata.name, description, at });
  }
  const after = await counter.settled();
  const things = [...(await system.admin.list("groups")), ...(await system.admin.list("identities"))];
  // A small tree is edited more than once: what is asked for is the last of each.
  const last = new Map(made.map((one) => [one.name, one]));
  const atPlatform = [...last.values()].map(({ name, description, at }) => {
    const thing = things.find((one) => one.name === name);
    if (thing?.description.startsWith(description) !== true)
      throw new Error(
        `${name} is Ready, but on the platform it is "${thing?.description}" instead of "${description}"`,
      );
    return (Date.parse(thing["updateTime"]) - at) / 1000;
  });
  return {
    p50Seconds: percentile(seconds, 0.5),
    p99Seconds: percentile(seconds, 0.99),
    atPlatform: { p50Seconds: percentile(atPlatform, 0.5), p99Seconds: percentile(atPlatform, 0.99) },
    traffic: trafficBetween(before, after),
  };
}

/** Leaves the operator alone for some of its intervals. */
export async function rest({ counter }: Bench, seconds: number) {
  const before = await counter.read();
  await sleep(seconds * 1000);
  return { seconds, traffic: trafficBetween(before, await counter.read()) };
}

/** Starts an operator for what is all Ready, but for one edit that was made while none was there. */
export async function restart(bench: Bench, stop: () => Promise<void>, start: () => Promise<Operator>) {
  const { counter, tree } = bench;
  await stop();
  const before = await counter.read();
  const edited = tree[0] as KubeObject;
  const ready = describe(bench, edited, "Edited while no operator was there");
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

/** Deletes everything, in the order in which it was created: parents first, so that they have to wait. */
export async function deleteAll({ controlPlane, system, observer, counter, tree }: Bench, operator: Operator) {
  const before = await counter.read();
  const cpuBefore = await cpuSeconds(operator.process.pid);
  const startedAt = performance.now();
  await inParallel(tree, loadWidth, (object) => controlPlane.admin.delete(object));
  await within(
    Promise.all(tree.map((object) => observer.gone(object))),
    () => `${observer.waiting} of ${tree.length} objects did not go`,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await counter.settled();
  const cpu = (await cpuSeconds(operator.process.pid)) - cpuBefore;
  await checkPlatform(system, []);
  return { seconds, cpu, traffic: trafficBetween(before, after) };
}

/** @returns when the object was seen Ready with the new description */
async function describe({ controlPlane, observer }: Bench, object: KubeObject, description: string): Promise<number> {
  const { metadata } = await controlPlane.admin.patch(object, { spec: { description } });
  return within(
    observer.ready(object, metadata.generation ?? 0),
    () => `the edit of ${object.kind} ${metadata.name} was not made`,
  );
}

/** That the platform has what was made and nothing else, besides what `System` puts there. */
async function checkPlatform({ admin, root, identity }: System, tree: readonly KubeObject[]): Promise<void> {
  for (const [kind, collection] of [
    ["Group", "groups"],
    ["Identity", "identities"],
    ["RoleBinding", "roleBindings"],
  ] as const) {
    const wanted = tree.filter((object) => object.kind === kind).length;
    const things = await admin.list(collection);
    const ours = things.filter(
      (thing) =>
        thing.uid !== root &&
        thing.uid !== identity &&
        thing.uid.slice(0, -17) !== (kind === "RoleBinding" ? root : ""),
    );
    if (ours.length !== wanted)
      throw new Error(`the platform has ${ours.length} of ${collection} instead of ${wanted}`);
  }
}

async function within<T>(wanted: Promise<T>, problem: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${problem()} within ${phaseTimeoutMs / 1000} s`)), phaseTimeoutMs);
  });
  try {
    return await Promise.race([wanted, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function cpuOf<K extends string>(pids: Readonly<Record<K, number>>): Promise<Record<K, number>> {
  const entries = Object.entries<number>(pids).map(async ([name, pid]) => [name, await cpuSeconds(pid)]);
  return Object.fromEntries(await Promise.all(entries)) as Record<K, number>;
}
