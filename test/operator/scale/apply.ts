import { inParallel } from "#test/support/bench/in-parallel.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { within } from "#test/support/within.ts";
import type { World } from "./world.ts";

/** Concurrent requests of the load: half of the number that saturates the API server. */
export const loadConcurrency = 8;
const timeoutSeconds = 900;

/**
 * Creates the objects, and waits until all are Ready.
 * @returns the seconds from the first request until the last object was Ready
 */
export async function createAll({ controlPlane, observer }: World, objects: readonly KubeObject[]): Promise<number> {
  const startedAt = performance.now();
  await inParallel(objects, loadConcurrency, (object) => controlPlane.admin.create(object));
  const ready = await inTime(
    `creating ${objects.length} objects`,
    observer,
    objects.map((object) => observer.ready(object, 1)),
  );
  return (latest(ready) - startedAt) / 1000;
}

/** @throws {Error} that says for how many objects the observer still waits, after a quarter of an hour */
export async function inTime(what: string, observer: World["observer"], seen: Promise<number>[]): Promise<number[]> {
  return within(() => `${what}, of which ${observer.waiting} are awaited,`, timeoutSeconds, Promise.all(seen));
}

/** The maximum of any number of times. */
export function latest(times: readonly number[]): number {
  return times.reduce((one, other) => Math.max(one, other), -Infinity);
}
