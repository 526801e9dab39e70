// Writes the Grafana dashboards in deploy/monitoring/ from scripts/dashboards/. With --check it writes nothing, and fails if a
// file is out of date.
import { grafanaDashboard } from "./dashboards/dashboard.ts";
import { operatorDashboard } from "./dashboards/operator.ts";
import { platformDashboard } from "./dashboards/platform.ts";
import { writeGenerated } from "./generated-files.ts";

const json = (dashboard: object) => `${JSON.stringify(dashboard, undefined, 2)}\n`;

await writeGenerated(
  "scripts/dashboards",
  new Map([
    ["deploy/monitoring/operator/dashboard.json", json(grafanaDashboard(operatorDashboard))],
    ["deploy/monitoring/platform/dashboard.json", json(grafanaDashboard(platformDashboard))],
  ]),
);
