import { markdownTable } from "./markdown-table.ts";
import { type Figure, meetsGoal, type Outcome } from "./outcome.ts";

/** How the outcomes of a benchmark are shown: each as a row, or, with many figures, as a table or a column of its own. */
export type Layout = "rows" | "columns";

/** One outcome, for a terminal. Goals that were missed are bold, as in Markdown. */
export function printed({ case: name, setting, figures, note }: Outcome, layout: Layout): string {
  if (layout === "rows") {
    const cells = figures.map(
      (figure) => `${figure.name} ${measured(figure)}${meetsGoal(figure) ? "" : ` (${goal(figure)})`}`,
    );
    return [name.padEnd(34), ...cells, note ?? ""].join("  ").trimEnd();
  }
  const width = Math.max(...figures.map((figure) => figure.name.length));
  const lines = figures.map((figure) => `${figure.name.padEnd(width)}  ${measured(figure)}  ${goal(figure)}`.trimEnd());
  return [`${name}: ${setting ?? ""}`, ...lines, ""].join("\n");
}

/** A table in Markdown with a row for each outcome, and a column for each figure and for their notes. */
export function rowTable(outcomes: readonly Outcome[], noteTitle?: string): string {
  const names = [...new Set(outcomes.flatMap(({ figures }) => figures.map(({ name }) => name)))];
  const rows = outcomes.map(({ case: name, figures, note = "" }) => {
    const cells = names.map((each) => cell(figures.find((figure) => figure.name === each)));
    return [name, ...cells, ...(noteTitle === undefined ? [] : [note])];
  });
  return markdownTable(["", ...names, ...(noteTitle === undefined ? [] : [noteTitle])], rows);
}

/** A table in Markdown with a row for each figure, and a column for each outcome. */
export function columnTable(outcomes: readonly Outcome[], titleOf: (outcome: Outcome) => string): string {
  const rows = (outcomes[0]?.figures ?? []).map(({ name }, row) => [
    name,
    ...outcomes.map(({ figures }) => cell(figures[row])),
  ]);
  return markdownTable(["", ...outcomes.map(titleOf)], rows);
}

/** A table in Markdown with a row for each figure of one outcome, and its goal. */
export function goalTable({ figures }: Outcome): string {
  const rows = figures.map((figure) => [figure.name, measured(figure), goal(figure)]);
  return markdownTable(["", "measured", "goal"], rows);
}

/** The figure, bold if it misses its goal; empty if there is none. */
export function cell(figure: Figure | undefined): string {
  if (figure === undefined) return "";
  return meetsGoal(figure) ? measured(figure) : `**${measured(figure)}**`;
}

function measured({ values, unit }: Figure): string {
  return `${values.map((value) => shortened(value, unit)).join(" / ")} ${values.length === 0 ? "" : unit}`.trimEnd();
}

function goal(figure: Figure): string {
  const { atMost, unit } = figure;
  if (atMost === undefined) return "";
  const limit = atMost === 0 ? "0" : `at most ${shortened(atMost, unit)} ${unit}`.trimEnd();
  return meetsGoal(figure) ? limit : `**${limit}**`;
}

/** Three digits, or four of a small count, such as one per object. */
function shortened(value: number, unit: Figure["unit"]): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1_000) return Math.round(value).toLocaleString("en");
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return value.toFixed(unit === "" || Math.abs(value) < 1 ? 3 : 2);
}
