import { describeMachine, type Machine } from "#test/support/bench/machine.ts";
import { markdownTable } from "#test/support/bench/markdown-table.ts";
import { type Figure, meetsGoal, type Outcome } from "./figure.ts";

/** The figures of a scenario, for a terminal. */
export function table({ scenario, setting, figures }: Outcome): string {
  const width = Math.max(...figures.map(({ name }) => name.length));
  const lines = figures.map((figure) => `${figure.name.padEnd(width)}  ${measured(figure)}  ${goal(figure)}`.trimEnd());
  return [`${scenario}: ${setting}`, ...lines].join("\n");
}

/** The machine, and a paragraph and a table for each scenario, in Markdown. */
export function markdown(machine: Machine, outcomes: readonly Outcome[]): string[] {
  const tables = outcomes.flatMap(({ scenario, setting, figures }) => [
    `## ${scenario}`,
    setting,
    markdownTable(
      ["", "measured", "goal"],
      figures.map((figure) => [figure.name, measured(figure), goal(figure)]),
    ),
  ]);
  return [`${describeMachine(machine)}.`, ...tables];
}

function measured({ value, unit }: Figure): string {
  return `${shortened(value)} ${unit}`.trimEnd();
}

function goal(figure: Figure): string {
  if (figure.atMost === undefined) return "";
  const limit = figure.atMost === 0 ? "0" : `at most ${shortened(figure.atMost)} ${figure.unit}`.trimEnd();
  return meetsGoal(figure) ? limit : `**${limit}**`;
}

/** At most three digits after the decimal point, and no more than a reader needs. */
function shortened(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
