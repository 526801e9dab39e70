import { existsSync, readFileSync } from "node:fs";
import { describeMachine } from "./machine.ts";
import type { Outcome } from "./outcome.ts";
import { writeJson } from "./write-json.ts";

/** The outcomes of one or more runs of a benchmark: the newest of each case. */
export interface Results {
  readonly machine: string;
  readonly outcomes: readonly Outcome[];
}

/** Collects outcomes, in a file if there is one, to which each is written at once. */
export class ResultsFile {
  readonly #file: string | undefined;
  readonly #outcomes = new Map<string, Outcome>();

  /** @throws {Error} if the file exists and does not have results */
  constructor(file: string | undefined) {
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    const { outcomes } = JSON.parse(readFileSync(file, "utf8")) as Partial<Results>;
    if (!Array.isArray(outcomes)) throw new Error(`--json: ${file} exists, and was not written by this benchmark`);
    for (const outcome of outcomes as readonly Outcome[]) this.#outcomes.set(outcome.case, outcome);
  }

  get results(): Results {
    return { machine: describeMachine(), outcomes: [...this.#outcomes.values()] };
  }

  add(outcome: Outcome): void {
    this.#outcomes.set(outcome.case, outcome);
    if (this.#file !== undefined) writeJson(this.#file, this.results);
  }
}
