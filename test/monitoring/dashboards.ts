import { readFile } from "node:fs/promises";

export interface GrafanaPanel {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string;
      readonly thresholds?: { readonly steps: readonly { readonly color: string; readonly value: number | null }[] };
      readonly custom?: { readonly stacking?: object };
    };
  };
}

export interface GrafanaDashboard {
  readonly title: string;
  readonly panels: readonly GrafanaPanel[];
}

export async function readDashboard(component: "operator" | "platform"): Promise<GrafanaDashboard> {
  const url = new URL(`../../deploy/monitoring/${component}/dashboard.json`, import.meta.url);
  return JSON.parse(await readFile(url, "utf8")) as GrafanaDashboard;
}

/** The query as Grafana sends it where nothing is chosen, with a range that fits the interval of scrapes. */
export function sentQuery(expr: string): string {
  return expr.replaceAll("$__rate_interval", "2m").replaceAll(/"\$(?:cluster|namespace|job)"/g, '".*"');
}
