import { inParallel } from "#test/support/bench/in-parallel.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { within } from "#test/support/within.ts";
import type { World } from "./world.ts";

/** Concurrent requests of the load: half of the number that saturates the API server. */
export const loadConcurrency = 8;
const timeoutSeconds = 900;

/** How long a creation took, in seconds. */
export interface Creation {
  /** From the first request until the last object was Ready. */
  readonly total: number;
  /** The duration of the requests. */
  readonly load: number;
  /** Of each object, from its POST until it was seen Ready. */
  readonly each: readonly number[];
}

/** Creates the objects, and waits until all are Ready. */
export async function createAll({ controlPlane, observer }: World, objects: readonly KubeObject[]): Promise<Creation> {
  const startedAt = performance.now();
  const postedAt: number[] = [];
  const awaited = objects.map((object) => observer.ready(object, 1));
  await inParallel([...objects.entries()], loadConcurrency, async ([index, object]) => {
    postedAt[index] = performance.now();
    await controlPlane.admin.create(object);
  });
  const load = (performance.now() - startedAt) / 1000;
  const ready = await inTime(`creating ${objects.length} objects`, observer, awaited);
  return {
    total: (latest(ready) - startedAt) / 1000,
    load,
    each: ready.map((at, index) => (at - (postedAt[index] ?? 0)) / 1000),
  };
}

/** Deletes the objects in their order, and waits until all are gone. @returns the seconds until then */
export async function deleteAll({ controlPlane, observer }: World, objects: readonly KubeObject[]): Promise<number> {
  const startedAt = performance.now();
  await inParallel(objects, loadConcurrency, (object) => controlPlane.admin.delete(object));
  const awaited = objects.map((object) => observer.gone(object));
  return (latest(await inTime(`deleting ${objects.length} objects`, observer, awaited)) - startedAt) / 1000;
}

/** @throws {Error} that says for how many objects the observer still waits, after a quarter of an hour */
export async function inTime(what: string, observer: World["observer"], seen: Promise<number>[]): Promise<number[]> {
  return within(() => `${what}, of which ${observer.waiting} are awaited,`, timeoutSeconds, Promise.all(seen));
}

/** The maximum of any number of times. */
export function latest(times: readonly number[]): number {
  return times.reduce((one, other) => Math.max(one, other), -Infinity);
}
