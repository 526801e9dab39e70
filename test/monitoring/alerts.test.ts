import { access, readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { evaluate, type FiringAlert } from "#test/support/monitoring-tools/monitoring-tools.ts";
import { operatorScenarios } from "./operator-scenarios.ts";
import { platformScenarios } from "./platform-scenarios.ts";
import { readRecording, recordingNames } from "./recording.ts";
import { alertsIn, readRules, ruleFile } from "./rules.ts";

/** The state of the last scrape lasts for so long, in seconds, that every alert has the time to fire. */
const extend = 6 * 3600;

const operator = await readRules("operator");
const platform = await readRules("platform");
const operatorAlerts = alertsIn(operator).map(({ alert }) => alert);
const platformAlerts = alertsIn(platform).map(({ alert }) => alert);
const alerts = [...operatorAlerts, ...platformAlerts];
const platformOnly = new Set(platformScenarios.map(({ name }) => name));

/** What follows from a failure, and has an alert, too. */
const alsoFires: Readonly<Record<string, readonly string[]>> = {
  MusterCallsSuspended: ["MusterObjectNotReady", "MusterResyncLate"],
  MusterWritesSuspended: ["MusterObjectNotReady"],
  MusterTenantNotReady: ["MusterObjectNotReady"],
  MusterQueueStuck: ["MusterObjectNotReady", "MusterResyncLate"],
  MusterReconcileErrors: ["MusterObjectNotReady"],
  MusterKubernetesRefuses: ["MusterObjectNotReady"],
  // An orphan is not declared.
  MusterOrphans: ["MusterUndeclaredAccess"],
  MusterPlatformErrors: ["MusterPlatformFaultInjection"],
};

describe("alerts, evaluated by Prometheus on the metrics of real failures", () => {
  let firing: readonly FiringAlert[];
  /** In the recordings of the platform there is no operator, so the alerts of the operator say nothing. */
  const firingOn = (name: string) => {
    const names = firing.filter(({ recording }) => recording === name).map(({ alert }) => alert);
    return [...new Set(names)].filter((alert) => !platformOnly.has(name) || platformAlerts.includes(alert)).toSorted();
  };

  beforeAll(async () => {
    const recordings = await Promise.all((await recordingNames()).map(readRecording));
    const print = (line: string) => void process.stderr.write(`monitoring tools: ${line}\n`);
    const { alerts: found = [] } = await evaluate(
      { rules: [ruleFile(operator), ruleFile(platform)], recordings, extend },
      print,
    );
    firing = found;
  });

  it("has one recording for each alert, and a healthy one", async () => {
    const scenarios = [...operatorScenarios, ...platformScenarios].map(({ name }) => name);
    expect(scenarios.toSorted()).toEqual(["Healthy", ...alerts].toSorted());
    expect(await recordingNames()).toEqual(scenarios.toSorted());
  });

  it("no alert fires while everything works", () => {
    expect(firingOn("Healthy")).toEqual([]);
  });

  it.each(alerts)("%s fires on its failure, with what follows from that and nothing else", (alert) => {
    expect(firingOn(alert)).toEqual([alert, ...(alsoFires[alert] ?? [])].toSorted());
  });

  it("every text of an alert is complete", () => {
    for (const { alert, annotations } of firing) {
      expect(Object.keys(annotations).toSorted(), alert).toEqual(["description", "runbook", "summary"]);
      for (const text of Object.values(annotations)) expect(text, alert).not.toMatch(/no value|NaN|\{\{/);
    }
  });
});

describe("runbooks", () => {
  const page = (alert: string) => new URL(`../../docs/operate/runbooks/${alert}.md`, import.meta.url);

  it.each([...alertsIn(operator), ...alertsIn(platform)])("$alert has a page, to which it links", async (rule) => {
    await access(page(rule.alert));
    const text = await readFile(page(rule.alert), "utf8");
    expect(text.startsWith(`# ${rule.alert}\n`)).toBe(true);
    for (const heading of ["## Meaning", "## Impact", "## Diagnosis", "## Fix"])
      expect(text).toContain(`\n${heading}\n`);
    expect(text).toContain(`Severity: ${rule.labels.severity}.`);
    expect(rule.annotations["runbook"]).toBe(`docs/operate/runbooks/${rule.alert}.md`);
  });
});
