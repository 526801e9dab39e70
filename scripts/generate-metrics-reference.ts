// Writes docs/reference/metrics.md from the metrics that the operator and the platform register. With --check it writes
// nothing, and fails if the file is out of date.
import type { Registry } from "prom-client";
import { kinds } from "#src/kinds/kinds.ts";
import { PlatformMetrics } from "#src/platform/service/platform-metrics.ts";
import { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import { writeGenerated } from "./generated-files.ts";

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

const isOfNode = ({ name }: Metric) => /^(?:nodejs|process)_/.test(name);

function metricsOf(registry: Registry): readonly Metric[] {
  const metrics = registry.getMetricsAsArray() as unknown as readonly Metric[];
  return metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function table(metrics: readonly Metric[]): string {
  const rows = metrics
    .filter((metric) => !isOfNode(metric))
    .map(({ name, type, help, labelNames }) => {
      const labels = labelNames.length === 0 ? "–" : labelNames.map((label) => `\`${label}\``).join(", ");
      return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
    });
  return ["| metric | type | labels | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

const operator = metricsOf(new OperatorMetrics().registry);
const platform = metricsOf(
  new PlatformMetrics({
    connections: () => Promise.resolve(0),
    maximumInFlight: 0,
    isDatabaseUp: () => Promise.resolve(true),
    isWritable: () => true,
    certificateExpiry: () => undefined,
    signingKeyCreation: () => Promise.resolve(0),
    signingKeyInterval: 0,
    omittedEvents: () => 0,
    auditExport: undefined,
  }).registry,
);

/** As the operator names them, and their queues. */
const controllers = [...kinds.map(({ name }) => name.toLowerCase()), "tenant"].map((name) => `\`${name}\``).join(", ");

const page = [
  "# Metrics",
  "For **platform engineers**: find the metric for an alert or a dashboard of your own.",
  "Generated from `src/telemetry` and `src/platform/service` by `npm run generate`. Do not edit.",
  "The operator and the platform serve their metrics on `/metrics`, in the text format of Prometheus. Both also export those of the Node.js process (`process_…` and `nodejs_…`). A label never has the name of an object, a Tenant or a person, so that the number of series does not grow with the number of objects. [Monitoring](../operate/monitoring.md) says how to scrape them, and which alerts exist.",
  "## The operator",
  `Names that begin with \`controller_runtime_\`, \`workqueue_\`, \`rest_client_\` and \`leader_election_\` are those of other controllers, so existing dashboards work. Only the leader reconciles: the other replicas export 0, or nothing, for most metrics. \`controller\` and \`name\` are one of ${controllers}. A \`kind\` is the kind of a custom resource; for requests to the platform, it is the name of the collection.`,
  table(operator),
  "## The platform",
  "`code` is the number of the gRPC code, whatever the transport; 0 is success.",
  table(platform),
];

await writeGenerated("the metrics", new Map([["docs/reference/metrics.md", `${page.join("\n\n")}\n`]]));
