import { expect } from "vitest";
import { oneIn } from "#test/support/turn/in-turn.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { TwoTenants } from "./two-tenants.ts";

/**
 * Creates the objects of a tree, applies `edited`, which is another spec of one of them, and deletes all of them, with every fault:
 * the edit takes effect without a violation, and nothing remains on the platform.
 */
export async function expectSurvived(tree: readonly Manifest[], edited: Manifest): Promise<void> {
  const points = await withEveryFault(async (fault) => {
    const world = new TwoTenants(fault);
    await world.apply(tree);
    await world.until("Available", tree);
    await world.apply([edited]);
    await world.scenario.until(
      "changed",
      () => world.violations().length === 0 && world.statusOf(edited)?.observedGeneration === 2,
    );
    await world.remove(tree);
    await world.rest();
    expect(world.scenario.platform.created()).toEqual([]);
    return world.run;
  });
  console.info(`${points.crashes} crash points, ${points.lost} lost responses`);
  expect(points.crashes * oneIn).toBeGreaterThan(20);
}
