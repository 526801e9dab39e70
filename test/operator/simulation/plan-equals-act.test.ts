import { expect, it } from "vitest";
import type { PlannedRefusal } from "#src/plan/plan.ts";
import { inTurn, runsAll, seedsOf } from "#test/support/turn/in-turn.ts";
import { madeWrites, outOfOrder, plannedWrites } from "./planned-world.ts";
import { randomChange } from "./random-changes.ts";
import { blue } from "./two-tenants.ts";

const worlds = Number(process.env["MUSTER_PLAN_WORLDS"] ?? 300);
const seeds = inTurn(seedsOf(worlds));

it("plans exactly the writes that the operator then makes, in random worlds", async () => {
  let writes = 0;
  let byOwnCredential = 0;
  let expired = 0;
  const differences: string[] = [];
  for (const seed of seeds) {
    // A plan does not know whether an admission policy adds the finalizer. What it says does not depend on that.
    const { world, change } = await randomChange(seed, seed % 2 === 0);
    const plan = await world.plan(change, undefined, seed % 4 >= 2);
    const acted = await world.act(change);
    const [planned, made] = [plannedWrites(plan), madeWrites(acted)];
    writes += made.length;
    byOwnCredential += made.filter((line) => line.includes(`${blue}/`)).length;
    expired += plan.changes.filter(({ action, reason }) => action === "delete" && reason.includes("expire")).length;
    for (const mistake of [...outOfOrder(plan.writes), ...outOfOrder(acted)])
      differences.push(`seed ${seed} ${mistake}`);
    if (JSON.stringify(planned) !== JSON.stringify(made))
      differences.push(
        [
          `seed ${seed}`,
          ...planned.filter((line) => !made.includes(line)).map((line) => `  only planned: ${line}`),
          ...made.filter((line) => !planned.includes(line)).map((line) => `  only made: ${line}`),
        ].join("\n"),
      );
  }
  console.info(
    `${seeds.length} worlds, ${writes} writes, ${byOwnCredential} by a credential of its own, ${expired} expired`,
  );
  expect(differences).toEqual([]);
  expect(writes).toBeGreaterThan(seeds.length);
  expect(byOwnCredential).toBeGreaterThan(seeds.length / 100);
  if (runsAll) expect(expired).toBeGreaterThan(seeds.length / 100);
}, 600_000);

it("plans the same, whether or not an admission policy adds the finalizer", async () => {
  for (const seed of inTurn(seedsOf(Math.floor(worlds / 6)))) {
    const { world, change } = await randomChange(seed);
    const plans = [await world.plan(change), await world.plan(change, undefined, true)];
    const [without, admitted] = plans.map((plan) => [...plannedWrites(plan), ...plan.refusals.map(textOf).toSorted()]);
    expect(admitted, `seed ${seed}`).toEqual(without);
  }
}, 600_000);

it("finds a planted difference", async () => {
  const { world, change } = await randomChange(1);
  const plan = await world.plan(change);
  const planted = { ...plan, changes: plan.changes.slice(1) };
  expect(plan.changes.length).toBeGreaterThan(0);
  expect(plannedWrites(planted)).not.toEqual(madeWrites(await world.act(change)));
});

it("finds a planted order that the platform does not allow", async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= 10; seed += 1) {
    const { world, change } = await randomChange(seed);
    const { writes } = await world.plan(change);
    found.push(...outOfOrder(writes.toReversed()));
  }
  expect(found).not.toEqual([]);
});

function textOf(refusal: PlannedRefusal): string {
  return JSON.stringify(refusal);
}
