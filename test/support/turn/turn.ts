import { spawnSync } from "node:child_process";

/** A share of the fault points, and of random worlds: the `number`th of `of` equal ones, from 1. */
export interface Turn {
  readonly number: number;
  readonly of: number;
}

/** The environment variable with the turn: `all`, or for instance `4/9`. */
export const turnVariable = "MUSTER_TURN";

/** An ordinary run takes one turn of nine: all of them together take a quarter of an hour. */
const turns = 9;
const msPerDay = 86_400_000;

/** @throws {Error} unless the text is `all`, or a turn such as `4/9` */
export function readTurn(text: string): Turn {
  if (text === "all") return { number: 1, of: 1 };
  const [number = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (number < 1 || number > of)
    throw new Error(`${turnVariable}: expected all, or a turn such as 4/${turns}: ${text}`);
  return { number, of };
}

/** The turn of a run. */
export interface ChosenTurn {
  /** As in the environment variable. */
  readonly text: string;
  readonly chosenBy: string;
}

/**
 * The turn that the environment names, or else the turn of the commit. Nine commits in a row, by their first parents, take all
 * turns. A clone without the whole history cannot count its commits, nor can a copy without Git: there, nine days in a row take
 * all turns.
 * @param folder a folder of the work tree
 * @param given what the environment says
 */
export function turnOf(folder: string, now: number, given: string | undefined): ChosenTurn {
  if (given !== undefined) return { text: given, chosenBy: turnVariable };
  const git = (...args: readonly string[]) => spawnSync("git", args, { cwd: folder, encoding: "utf8" }).stdout?.trim();
  const isWhole = git("rev-parse", "--is-shallow-repository") === "false";
  const commits = isWhole ? Number(git("rev-list", "--count", "--first-parent", "HEAD")) : 0;
  if (commits > 0) return { text: textOf(commits), chosenBy: `commit ${commits}` };
  return { text: textOf(Math.floor(now / msPerDay)), chosenBy: "the day, for want of the whole Git history" };
}

const textOf = (count: number) => `${(count % turns) + 1}/${turns}`;
