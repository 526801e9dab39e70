import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { cheaperTests, suitesOfOtherTurns } from "./suites-in-turn.ts";

const suites = Object.keys(cheaperTests);
const runs = (turn: string, ...args: readonly string[]) => {
  const left = suitesOfOtherTurns(turn, args);
  return suites.filter((suite) => !left.includes(suite));
};

it("names files that exist", () => {
  const named = [...suites, ...Object.values(cheaperTests).flat()];
  expect(named.filter((file) => !existsSync(new URL(`../../../${file}`, import.meta.url)))).toEqual([]);
});

it.each([1, 4, 7, 8])("has every suite once in three turns in a row, from turn %i", (first) => {
  const turns = [first, first + 1, first + 2].map((number) => `${((number - 1) % 9) + 1}/9`);
  expect(turns.flatMap((turn) => runs(turn)).toSorted()).toEqual(suites.toSorted());
});

it("has all of them in the turn that has everything", () => {
  expect(runs("all")).toEqual(suites);
});

it("has those that a path names, whatever the turn", () => {
  const everyTurn = Array.from({ length: 9 }, (_, index) => `${index + 1}/9`);
  for (const turn of everyTurn) {
    expect(runs(turn, "run", "--project", "cluster", "test/operator/cluster/killed.test.ts")).toContain(
      "test/operator/cluster/killed.test.ts",
    );
    expect(runs(turn, "run", "--project", "cluster", "./test/operator/cluster/")).toEqual(suites);
  }
  expect(runs("1/9", "run", "--project", "cluster").length).toBeLessThan(suites.length / 2);
});
