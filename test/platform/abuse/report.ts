import { markdownTable } from "#test/support/bench/markdown-table.ts";
import { type AbuseFigure, type AbuseFigures, missedGoals } from "./figures.ts";
import { goals } from "./goals.ts";

/** One figure on one line, and one for each goal that was missed, for a terminal. */
export function lines(figure: AbuseFigure): string {
  const { kind, calls, p50Milliseconds, p99Milliseconds, peakRssMiB, blockMilliseconds, waitedPercent } = figure;
  const line = [
    kind.padEnd(24),
    `${String(calls).padStart(4)} calls`,
    `p50 ${p50Milliseconds.toFixed(1).padStart(6)} ms`,
    `p99 ${p99Milliseconds.toFixed(0).padStart(5)} ms`,
    `memory ${peakRssMiB.toFixed(0).padStart(3)} MiB`,
    `block ${blockMilliseconds.toFixed(0).padStart(4)} ms${blockMilliseconds > goals.blockMilliseconds ? "!" : " "}`,
    `waited ${waitedPercent.toFixed(0).padStart(2)} %`,
    `audit ${figure.auditMiB.toFixed(1)} MiB`,
    `abuser ${figure.abuserCpuPercent.toFixed(0).padStart(3)} %`,
    counts(figure.abuse),
  ].join("  ");
  return [line, ...missedGoals(figure).map((goal) => `  MISSED: ${goal}`)].join("\n");
}

/** The paragraph and the table of a page. */
export function markdown({ machine, backend, seconds, figures }: AbuseFigures): string[] {
  const head = [
    "",
    "p50 / p99 ms",
    "failed",
    "MiB, peak",
    "longest block, ms",
    "waited, %",
    "audit log, MiB",
    "what the abuser got",
  ];
  const rows = figures.map((figure) => [
    figure.kind,
    `${figure.p50Milliseconds.toFixed(1)} / ${figure.p99Milliseconds.toFixed(0)}`,
    String(Object.values(figure.failures).reduce((sum, count) => sum + count, 0)),
    figure.ended ?? figure.peakRssMiB.toFixed(0),
    figure.blockMilliseconds.toFixed(0),
    figure.waitedPercent.toFixed(0),
    figure.auditMiB.toFixed(1),
    counts(figure.abuse),
  ]);
  return [`${machine}, ${backend}, ${seconds} s each.`, markdownTable(head, rows)];
}

/** The most frequent first. */
function counts(abuse: Readonly<Record<string, number>>): string {
  return Object.entries(abuse)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([code, count]) => `${code}: ${count}`)
    .join(", ");
}
