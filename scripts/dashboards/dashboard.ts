/** The unit of a value, as Grafana names it. */
export type Unit = "short" | "s" | "percentunit" | "bytes" | "ops" | "reqps" | "none";

export interface Query {
  readonly expr: string;
  /** The name of each series: `{{kind}}`. */
  readonly legend?: string;
}

export interface Panel {
  readonly title: string;
  /** What the panel shows, and what a person does about it. */
  readonly description: string;
  /** `value` shows the last value of each series, in large type; `text` shows the name of the series. */
  readonly type: "graph" | "value" | "text";
  readonly unit?: Unit;
  /** From this value on, a `value` panel is red. */
  readonly badFrom?: number;
  /** Below this value, a `value` panel is red. */
  readonly badBelow?: number;
  /** Graphs: the series add up. */
  readonly stacked?: boolean;
  readonly queries: readonly Query[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  /** A metric that only what the dashboard is about has: where it is scraped from is offered as a choice. */
  readonly identifyingMetric: string;
  readonly rows: readonly Row[];
}

/** Of Grafana's grid. */
const columns = 24;
const heights = { graph: 8, value: 4, text: 4 } as const;
const datasource = { type: "prometheus", uid: "${datasource}" };

/** By what a person chooses releases, each within the ones before. A store of one cluster need not have the label `cluster`. */
const choices = ["cluster", "namespace", "job"] as const;
const chosen = choices.map((label) => `${label}=~"$${label}"`).join(", ");
const metric = /\b(?:muster|leader_election|controller_runtime|workqueue|rest_client|process|nodejs)_\w+\{?/g;

/** The query, of the chosen releases only. */
function ofChosen(expr: string): string {
  return expr.replaceAll(metric, (name) => (name.endsWith("{") ? `${name}${chosen}, ` : `${name}{${chosen}}`));
}

function choice(label: (typeof choices)[number], identifyingMetric: string): object {
  const before = choices.slice(0, choices.indexOf(label)).map((one) => `${one}=~"$${one}"`);
  const query = `label_values(${identifyingMetric}{${before.join(", ")}}, ${label})`;
  return {
    name: label,
    type: "query",
    label: label.charAt(0).toUpperCase() + label.slice(1),
    datasource,
    query: { query, refId: label },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: ".*",
    current: { text: "All", value: "$__all" },
  };
}

/** The dashboard as Grafana imports it. The panels of a row share its width. */
export function grafanaDashboard({ uid, title, identifyingMetric, rows }: Dashboard): object {
  const panels: object[] = [];
  let y = 0;
  const place = (panel: object, x: number, width: number, height: number) => {
    panels.push({ id: panels.length + 1, ...panel, gridPos: { h: height, w: width, x, y } });
  };
  for (const row of rows) {
    place({ type: "row", title: row.title, collapsed: false, panels: [] }, 0, columns, 1);
    y += 1;
    const edge = (index: number) => Math.round((index * columns) / row.panels.length);
    const height = Math.max(...row.panels.map(({ type }) => heights[type]));
    for (const [index, panel] of row.panels.entries())
      place(grafanaPanel(panel), edge(index), edge(index + 1) - edge(index), height);
    y += height;
  }
  return {
    uid,
    title,
    tags: ["muster"],
    editable: true,
    graphTooltip: 1,
    refresh: "1m",
    schemaVersion: 39,
    time: { from: "now-6h", to: "now" },
    timezone: "browser",
    templating: {
      list: [
        { name: "datasource", type: "datasource", query: "prometheus", label: "Data source" },
        ...choices.map((label) => choice(label, identifyingMetric)),
      ],
    },
    panels,
  };
}

function grafanaPanel(panel: Panel): object {
  const { title, description, type, unit = "short", queries } = panel;
  const targets = queries.map(({ expr, legend }, index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource,
    expr: ofChosen(expr),
    legendFormat: legend ?? "__auto",
    ...(type === "graph" ? {} : { instant: true }),
  }));
  const common = { title, description, datasource, targets };
  if (type === "graph")
    return {
      ...common,
      type: "timeseries",
      fieldConfig: {
        defaults: {
          unit,
          min: 0,
          custom: {
            fillOpacity: panel.stacked === true ? 30 : 8,
            lineWidth: 1,
            showPoints: "never",
            ...(panel.stacked === true ? { stacking: { mode: "normal", group: "A" } } : {}),
          },
        },
        overrides: [],
      },
      options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    };
  return {
    ...common,
    type: "stat",
    fieldConfig: {
      defaults: {
        unit,
        noValue: "–",
        color: { mode: "thresholds" },
        thresholds: { mode: "absolute", steps: steps(panel) },
      },
      overrides: [],
    },
    options: {
      colorMode: "value",
      graphMode: "none",
      justifyMode: "center",
      textMode: type === "text" ? "name" : "value",
      reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
    },
  };
}

function steps({ badFrom, badBelow }: Panel): object[] {
  if (badBelow !== undefined)
    return [
      { color: "red", value: null },
      { color: "green", value: badBelow },
    ];
  if (badFrom !== undefined)
    return [
      { color: "green", value: null },
      { color: "red", value: badFrom },
    ];
  return [{ color: "text", value: null }];
}
