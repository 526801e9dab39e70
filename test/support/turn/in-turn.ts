import { readTurn, type Turn, turnVariable } from "./turn.ts";

/** The turn of this run. */
export const turnText = process.env[turnVariable] ?? "all";
const turn = readTurn(turnText);

/** One in how many fault points, random worlds and moments runs. */
export const oneIn = turn.of;
/** Whether all of them run. Only then must what a few of them lead to have come about. */
export const runsAll = turn.of === 1;

/** The seeds of `count` random worlds, from 1. */
export const seedsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The moments from 0 to `last` ms that have their turn: one every `step` ms. */
export const momentsInTurn = (last: number, step: number): readonly number[] =>
  inTurn(Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step));

/**
 * Those that have their turn, evenly spread. Where they begin depends on how many there are, so that one turn has early and late ones.
 */
export function inTurn<T>(all: readonly T[], { number, of }: Turn = turn): readonly T[] {
  return all.filter((_, index) => (all.length + index + number) % of === 0);
}

/** The same with fewer turns, for what costs too much for every run: one more commit in a row than `turns` has all of them. */
export function inFewTurns<T>(turns: number, all: readonly T[], { number, of }: Turn = turn): readonly T[] {
  return inTurn(all, { number, of: Math.min(of, turns) });
}
