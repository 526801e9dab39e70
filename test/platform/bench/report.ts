import { percentile } from "#test/support/bench/percentile.ts";
import { markdownTable } from "#test/support/bench/markdown-table.ts";
import { caseNames } from "./case-names.ts";
import type { Comparison } from "./compare.ts";
import type { Figure, Figures } from "./figures.ts";
import { type Backend, backends } from "./options.ts";

const backendNames = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** One figure on one line, for a terminal. */
export function line(figure: Figure): string {
  const { backend, size, case: name, requestsPerSecond, cpuMillisecondsPerCall: cpu } = figure;
  return [
    `${backend} ${String(size).padStart(7)}  ${name.padEnd(34)}`,
    `${requestsPerSecond.toFixed(0).padStart(6)}/s`,
    `cpu ${cpu.toFixed(3)} ms`,
    `p50 ${figure.p50Milliseconds.toFixed(1).padStart(6)} ms`,
    `p99 ${figure.p99Milliseconds.toFixed(1).padStart(6)} ms`,
    `memory ${memory(figure)}`,
    `other processes ${percent(figure.othersShare)}`,
  ].join("  ");
}

/** One comparison on one line, for a terminal. */
export function comparisonLine({ case: name, reference, candidate, ratio, ratios }: Comparison): string {
  const [low, high] = [percentile(ratios, 0.25), percentile(ratios, 0.75)];
  const pairs = `half of the pairs of turns ${low.toFixed(2)} to ${high.toFixed(2)}`;
  return `${name.padEnd(34)}cpu ${reference.toFixed(3)} → ${candidate.toFixed(3)} ms  ${ratio.toFixed(2)}  ${pairs}`;
}

/** The paragraphs and tables of a page. */
export function markdown({ machine, callers, fills, figures }: Figures): string[] {
  const shares = figures.map(({ othersShare }) => othersShare).toSorted((a, b) => a - b);
  const median = percent(shares[Math.floor(shares.length / 2)] ?? 0);
  const noise = `Other processes used ${median} of the platform's core (median of the cases), at most ${percent(shares.at(-1) ?? 0)}.`;
  return [
    `${machine}, ${callers} callers. ${noise}`,
    ...backends.flatMap((backend) => tableOf(backend, fills, figures)),
  ];
}

/** The title and the table of one backend: a row for each case, three columns for each size. */
function tableOf(backend: Backend, fills: Figures["fills"], figures: readonly Figure[]): string[] {
  const own = figures.filter((figure) => figure.backend === backend);
  const sizes = [...new Set(own.map(({ size }) => size))].toSorted((a, b) => a - b);
  if (sizes.length === 0) return [];
  const rows = caseNames.flatMap((name) => {
    const found = sizes.map((size) => own.find((figure) => figure.case === name && figure.size === size));
    if (found.every((figure) => figure === undefined)) return [];
    return [[name, ...found.flatMap((figure) => (figure === undefined ? ["", "", ""] : cells(figure)))]];
  });
  const head = ["", ...sizes.flatMap((size) => [`${grouped(size)}: /s`, "p50 / p99 ms", "MiB, after / peak"])];
  const filled = fills
    .filter((fill) => fill.backend === backend)
    .toSorted((a, b) => a.size - b.size)
    .map(({ size, seconds }) => `${grouped(size)} in ${seconds.toFixed(seconds < 10 ? 1 : 0)} s`);
  const title = `**${backendNames[backend]}**${filled.length === 0 ? "" : ` (filled with ${filled.join(", ")})`}`;
  return [title, markdownTable(head, rows)];
}

function cells(figure: Figure): string[] {
  const { requestsPerSecond, p50Milliseconds, p99Milliseconds } = figure;
  return [
    grouped(Math.round(requestsPerSecond)),
    `${p50Milliseconds.toFixed(1)} / ${p99Milliseconds.toFixed(1)}`,
    memory(figure),
  ];
}

function memory({ rssMiB, peakRssMiB }: Figure): string {
  return `${rssMiB.toFixed(0)} / ${peakRssMiB.toFixed(0)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function grouped(number: number): string {
  return number.toLocaleString("en");
}
