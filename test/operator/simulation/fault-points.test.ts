import { describe, expect, it } from "vitest";
import { inTurn } from "#test/support/turn/in-turn.ts";
import { crashPoints, lossPoints } from "./fault-points.ts";

const run = { calls: 17, posts: 5 };
const points = [...crashPoints(run), ...lossPoints(run)];
const of = 9;
const turns = Array.from({ length: of }, (_, index) => inTurn(points, { number: index + 1, of }));

describe("the fault points of a run", () => {
  it("are three deaths at every call, and four losses of every response to a POST", () => {
    expect(points).toHaveLength(17 * 3 + 5 * 4);
    expect(new Set(points.map(({ name }) => name)).size).toBe(points.length);
  });

  it("each have one turn of nine", () => {
    const names = turns.flat().map(({ name }) => name);
    expect(names.toSorted()).toEqual(points.map(({ name }) => name).toSorted());
  });

  it("are spread evenly over the turns, and over the run in each turn", () => {
    for (const turn of turns) {
      const indexes = turn.map((point) => points.indexOf(point));
      expect(new Set(indexes.slice(1).map((index, before) => index - (indexes[before] ?? 0)))).toEqual(new Set([of]));
      expect(indexes[0]).toBeLessThan(of);
    }
  });

  it("are all run in the only turn of one", () => {
    expect(inTurn(points, { number: 1, of: 1 })).toEqual(points);
  });
});
