import { expect, it } from "vitest";
import { madeWrites, plannedWrites } from "./planned-world.ts";
import { randomChange } from "./random-changes.ts";

const worlds = Number(process.env["MUSTER_PLAN_WORLDS"] ?? 400);

it("plans exactly the writes that the operator then makes, in random worlds", async () => {
  let writes = 0;
  const differences: string[] = [];
  for (let seed = 1; seed <= worlds; seed += 1) {
    const { world, change } = await randomChange(seed);
    const plan = await world.plan(change);
    const [planned, made] = [plannedWrites(plan), madeWrites(await world.act(change))];
    writes += made.length;
    if (JSON.stringify(planned) !== JSON.stringify(made))
      differences.push(
        [
          `seed ${seed}`,
          ...planned.filter((line) => !made.includes(line)).map((line) => `  only planned: ${line}`),
          ...made.filter((line) => !planned.includes(line)).map((line) => `  only made: ${line}`),
        ].join("\n"),
      );
  }
  console.info(`${worlds} worlds, ${writes} writes`);
  expect(differences).toEqual([]);
  expect(writes).toBeGreaterThan(worlds);
}, 600_000);

it("finds a planted difference", async () => {
  const { world, change } = await randomChange(1);
  const plan = await world.plan(change);
  const planted = { ...plan, changes: plan.changes.slice(1) };
  expect(plan.changes.length).toBeGreaterThan(0);
  expect(plannedWrites(planted)).not.toEqual(madeWrites(await world.act(change)));
});
