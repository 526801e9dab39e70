import type { Reporter, TestModule } from "vitest/node";
import { type ChosenTurn, turnVariable } from "./turn.ts";

/** Says which fault points a run had, and how to repeat it, after a run that simulated something. */
export class TurnReporter implements Reporter {
  readonly #turn: ChosenTurn;

  constructor(turn: ChosenTurn) {
    this.#turn = turn;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const { text, chosenBy } = this.#turn;
    if (modules.some(({ moduleId }) => moduleId.startsWith(import.meta.dirname)))
      process.stdout.write(
        `Fault points: ${text}, chosen by ${chosenBy}. To repeat them: ${turnVariable}=${text}; for all: ${turnVariable}=all\n`,
      );
  }
}
