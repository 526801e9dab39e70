import type { Reporter } from "vitest/node";
import { type ChosenTurn, turnVariable } from "./turn.ts";

/** Says which fault points, random worlds and suites a run had, and how to repeat it. */
export class TurnReporter implements Reporter {
  readonly #turn: ChosenTurn;

  constructor(turn: ChosenTurn) {
    this.#turn = turn;
  }

  onTestRunEnd(): void {
    const { text, chosenBy } = this.#turn;
    process.stdout.write(
      `Fault points, random worlds and suites in turn: turn ${text}, chosen by ${chosenBy}. To repeat it: ${turnVariable}=${text}; for all: ${turnVariable}=all\n`,
    );
  }
}
