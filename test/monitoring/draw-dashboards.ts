import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readCommandLine } from "#test/support/command-line.ts";
import { evaluate, type Series } from "#test/support/monitoring-tools/monitoring-tools.ts";
import { type GrafanaPanel, readDashboard, sentQuery } from "./dashboards.ts";
import { readRecording } from "./recording.ts";

const usage = `Usage: npm run draw:dashboards -- FOLDER [RECORDING]

Draws the dashboards with the metrics of a recording (default: Healthy), as operator.svg and platform.svg in FOLDER, to look at
their layout without Grafana.
`;

const { folder, recording } = readCommandLine({ name: "draw:dashboards", usage }, ([to, name = "Healthy"]) => {
  if (to === undefined || to === "--help") return "help";
  return { folder: resolve(to), recording: name };
});

const cell = { width: 56, height: 30, gap: 6 };
const palette = ["#73bf69", "#f2cc0c", "#5794f2", "#ff780a", "#b877d9", "#8ab8ff", "#fade2a", "#e02f44"];

for (const component of ["operator", "platform"] as const) {
  const { panels, title } = await readDashboard(component);
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => sentQuery(expr)));
  const { queries: found = [] } = await evaluate({
    recordings: [await readRecording(recording)],
    queries: [...new Set(queries)],
    extend: 1_800,
  });
  const seriesOf = (expr: string) => found.find(({ query }) => query === sentQuery(expr))?.series ?? [];
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * cell.height + 40;
  const width = 24 * cell.width;
  const drawn = panels.map((panel) => drawPanel(panel, seriesOf)).join("\n");
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans" fill="#ccccdc">
<rect width="100%" height="100%" fill="#111217"/><text x="10" y="26" font-size="18">${escape(title)} (${recording})</text>
<g transform="translate(0 40)">${drawn}</g></svg>\n`;
  await writeFile(join(folder, `${component}.svg`), svg);
}

function drawPanel(panel: GrafanaPanel, seriesOf: (expr: string) => readonly Series[]): string {
  const { gridPos, title, type, targets = [] } = panel;
  const [x, y] = [gridPos.x * cell.width, gridPos.y * cell.height];
  const [width, height] = [gridPos.w * cell.width - cell.gap, gridPos.h * cell.height - cell.gap];
  if (type === "row")
    return `<text x="${x + 10}" y="${y + 20}" font-size="14" font-weight="bold">${escape(title)}</text>`;
  const series = targets.flatMap(({ expr, legendFormat }) =>
    seriesOf(expr).map((one) => ({ ...one, name: legendOf(legendFormat, one) })),
  );
  const body = type === "stat" ? drawValue(panel, series, width, height) : drawGraph(panel, series, width, height);
  return `<g transform="translate(${x} ${y})"><rect width="${width}" height="${height}" rx="3" fill="#181b1f" stroke="#2c3235"/>
<text x="10" y="19" font-size="12">${escape(title)}</text>${body}</g>`;
}

type NamedSeries = Series & { readonly name: string };

function drawValue(panel: GrafanaPanel, series: readonly NamedSeries[], width: number, height: number): string {
  const value = series[0]?.points.at(-1)?.[1];
  const isText = panel.title === "Version";
  const text = value === undefined ? "No data" : isText ? (series[0]?.name ?? "") : format(value, panel);
  const steps = panel.fieldConfig?.defaults.thresholds?.steps ?? [];
  const color = steps.findLast(
    (step) => value !== undefined && (step.value ?? Number.NEGATIVE_INFINITY) <= value,
  )?.color;
  const fill = color === "red" ? "#f2495c" : color === "green" ? "#73bf69" : "#ccccdc";
  return `<text x="${width / 2}" y="${height / 2 + 22}" font-size="30" text-anchor="middle" fill="${fill}">${escape(text)}</text>`;
}

function drawGraph(panel: GrafanaPanel, series: readonly NamedSeries[], width: number, height: number): string {
  if (series.length === 0)
    return `<text x="${width / 2}" y="${height / 2}" font-size="13" text-anchor="middle" fill="#8e8e99">No data</text>`;
  const area = { left: 62, top: 30, right: width - 10, bottom: height - 48 };
  const end = Math.max(...series.flatMap(({ points }) => points.map(([time]) => time)), 1);
  const isStacked = panel.fieldConfig?.defaults.custom?.stacking !== undefined;
  const below = new Map<number, number>();
  const stacked = series.map(({ name, points }) => ({
    name,
    points: points.map(([time, value]): readonly [number, number] => {
      const total = (isStacked ? (below.get(time) ?? 0) : 0) + value;
      below.set(time, total);
      return [time, total];
    }),
  }));
  const top = Math.max(...stacked.flatMap(({ points }) => points.map(([, value]) => value)), 0) * 1.1 || 1;
  const x = (time: number) => area.left + (time / end) * (area.right - area.left);
  const y = (value: number) => area.bottom - (value / top) * (area.bottom - area.top);
  const grid = [0, 0.5, 1].map((share) => {
    const at = y(top * share);
    return `<line x1="${area.left}" x2="${area.right}" y1="${at}" y2="${at}" stroke="#2c3235"/><text x="${area.left - 6}" y="${at + 4}" font-size="10" text-anchor="end" fill="#8e8e99">${escape(format(top * share, panel))}</text>`;
  });
  const lines = stacked.map(({ points }, index) => {
    const path = points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    return `<polyline points="${path}" fill="none" stroke="${palette[index % palette.length]}" stroke-width="1.5"/>`;
  });
  let [left, line] = [area.left, 0];
  const legend = series.map(({ name }, index) => {
    const length = 24 + name.length * 6.4;
    if (left + length > area.right && left > area.left) [left, line] = [area.left, line + 1];
    const at = left;
    left += length;
    const row = area.bottom + 20 + line * 14;
    if (row > height) return "";
    return `<rect x="${at}" y="${row - 4}" width="12" height="3" fill="${palette[index % palette.length]}"/><text x="${at + 16}" y="${row}" font-size="10">${escape(name)}</text>`;
  });
  return [...grid, ...lines, ...legend].join("");
}

function legendOf(template: string, { labels }: Series): string {
  if (template === "__auto") return Object.values(labels).join(" ") || "value";
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? "");
}

function format(value: number, { fieldConfig }: GrafanaPanel): string {
  const unit = fieldConfig?.defaults.unit ?? "short";
  if (unit === "percentunit") return `${Number((value * 100).toPrecision(3))} %`;
  if (unit === "bytes") return `${Number((value / 2 ** 20).toPrecision(3))} MiB`;
  if (unit === "s") {
    for (const [length, name] of [
      [86_400, "d"],
      [3_600, "h"],
      [60, "min"],
    ] as const)
      if (value >= length) return `${Number((value / length).toPrecision(3))} ${name}`;
    return value >= 1 || value === 0
      ? `${Number(value.toPrecision(3))} s`
      : `${Number((value * 1_000).toPrecision(3))} ms`;
  }
  const rate = unit === "reqps" ? " req/s" : unit === "ops" ? " ops/s" : "";
  return `${Number(value.toPrecision(3))}${rate}`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
