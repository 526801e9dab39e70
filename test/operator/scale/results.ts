import { readFile } from "node:fs/promises";
import { type Machine, thisMachine } from "#test/support/bench/machine.ts";
import { writeJson } from "#test/support/bench/write-json.ts";
import type { Outcome } from "./figure.ts";
import { scenarioNames } from "./options.ts";

/** The figures of several runs: the newest of each scenario, in the order of their names in `--help`. */
export interface Results {
  readonly machine: Machine;
  readonly outcomes: readonly Outcome[];
}

/** @throws {Error} if the file exists and cannot be read */
export async function readResults(file: string): Promise<Results> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Results;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return { machine: thisMachine(), outcomes: [] };
  }
}

/** Adds the outcome of a scenario to the file, instead of an earlier one. */
export async function addResult(file: string, outcome: Outcome): Promise<void> {
  const { outcomes } = await readResults(file);
  const all = [...outcomes.filter(({ scenario }) => scenario !== outcome.scenario), outcome];
  const ordered = scenarioNames.flatMap((name) => all.filter(({ scenario }) => scenario === name));
  writeJson(file, { machine: thisMachine(), outcomes: ordered } satisfies Results);
}
