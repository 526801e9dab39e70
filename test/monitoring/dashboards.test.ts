import { beforeAll, describe, expect, it } from "vitest";
import { evaluate, type MonitoringResponse } from "#test/support/monitoring-tools/monitoring-tools.ts";
import { readDashboard, sentQuery } from "./dashboards.ts";
import { readRecording, recordingNames } from "./recording.ts";

/** The recordings that have what the dashboard of a component shows. */
const relevant = {
  operator: (name: string) => !name.startsWith("MusterPlatform"),
  platform: () => true,
} as const;

describe.each(["operator", "platform"] as const)("the dashboard of the %s", async (component) => {
  const { panels } = await readDashboard(component);
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => sentQuery(expr)));
  let found: NonNullable<MonitoringResponse["queries"]>;

  beforeAll(async () => {
    const names = (await recordingNames()).filter(relevant[component]);
    const recordings = await Promise.all(names.map(readRecording));
    ({ queries: found = [] } = await evaluate({ recordings, queries, extend: 600 }));
  });

  it.each(queries)("shows something real: %s", (query) => {
    const values = found.filter((one) => one.query === query).flatMap(({ series }) => series);
    expect(values.length).toBeGreaterThan(0);
  });

  it("shows everything at a glance while all is well", () => {
    const glance = panels.filter(({ type }) => type === "stat");
    for (const { title, targets = [] } of glance)
      for (const { expr } of targets) {
        // Recorded without TLS.
        if (title === "Certificate expires in") continue;
        const healthy = found.find((one) => one.recording === "Healthy" && one.query === sentQuery(expr));
        expect(healthy?.series.length, title).toBe(1);
      }
  });

  it("shows the chosen releases only", () => {
    const chosen = 'cluster=~"$cluster", namespace=~"$namespace", job=~"$job"';
    for (const { targets = [] } of panels)
      for (const { expr } of targets) {
        const selectors = expr.match(/\{[^}]*\}/g) ?? [];
        expect(selectors.length, expr).toBeGreaterThan(0);
        for (const selector of selectors) expect(selector).toContain(chosen);
        // What has no selector is a function, a keyword, a label or a number.
        const rest = expr.replaceAll(/\w+\{[^}]*\}/g, "");
        expect(rest).not.toMatch(/(?:_total|_seconds|_bytes|_bucket)\b/);
      }
  });

  it("has panels that do not overlap, and fill their rows", () => {
    const cells = new Set<string>();
    for (const { gridPos, title } of panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(cells.has(`${x} ${y}`), title).toBe(false);
          cells.add(`${x} ${y}`);
        }
    const rows = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
    expect(cells.size).toBe(24 * rows);
  });
});
