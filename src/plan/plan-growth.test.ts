import { afterEach, expect, it, vi } from "vitest";
import { keyOf } from "#src/kube/object.ts";
import { childUids } from "#src/platform-client/uid.ts";
import { Reconciler } from "#src/reconcile/reconciler.ts";
import { GrowingWorld } from "./growing-world.testing.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** What a plan costs, which is counted and not timed. */
async function costOf(groups: number, change: (world: GrowingWorld) => void) {
  const world = new GrowingWorld(groups);
  change(world);
  const before = world.cluster.version;
  const reconcile = vi.spyOn(Reconciler.prototype, "reconcile");
  // Whoever looks for what is below a group asks it of each resource.
  const isBelow = vi.spyOn(childUids, "isBelow");
  const { changes, refusals } = await world.plan();
  const [comparisons, reconciles] = [isBelow, reconcile].map((spy) => spy.mock.calls.length) as [number, number];
  vi.restoreAllMocks();
  const writes = Number(world.cluster.version) - Number(before);
  return { calls: world.calls, changes: changes.length, comparisons, looks: world.looks, reconciles, refusals, writes };
}

function deleteEverything({ cluster }: GrowingWorld): void {
  for (const object of cluster.all())
    if (object.metadata.namespace !== undefined) cluster.remove(object.kind, keyOf(object));
}

it("decides about each object once if there is nothing to do, and writes nothing", async () => {
  const { calls, changes, reconciles, refusals, writes } = await costOf(300, () => undefined);
  expect({ changes, refusals, writes }).toEqual({ changes: 0, refusals: [], writes: 0 });
  // The first object of each kind needs a list of the kind, which wakes it.
  expect(reconciles).toBe(3 * 300 + 3);
  // Two pages of each of the three kinds, one of each other kind, and the operator's own permissions.
  expect(calls).toBeLessThan(20);
});

it.each([
  ["nothing is to do", () => undefined, 0],
  ["everything is created again", (world: GrowingWorld) => world.emptyPlatform(), 3],
  ["everything is deleted", deleteEverything, 3],
])("costs twice as much for twice as many objects if %s", async (_, change, changesPerGroup) => {
  const [some, more] = [await costOf(300, change), await costOf(600, change)];
  expect([some.changes, more.changes]).toEqual([300 * changesPerGroup, 600 * changesPerGroup]);
  for (const cost of ["calls", "comparisons", "looks", "reconciles", "writes"] as const)
    expect(more[cost], cost).toBeLessThanOrEqual(2.1 * some[cost] + 20);
  expect(more.calls).toBeLessThan(120);
});
