import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { mayTake } from "#src/platform/shares/share.ts";
import { evaluate, type FiringAlert } from "#test/support/monitoring-tools/monitoring-tools.ts";
import { operatorScenarios } from "./operator-scenarios.ts";
import { platformScenarios } from "./platform-scenarios.ts";
import { readRecording, recordingNames, type Scrape, type TargetLabels } from "./recording.ts";
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

  it("says that a platform is overloaded before a single caller has all that it may have", () => {
    const rule = alertsIn(platform).find(({ alert }) => alert === "MusterPlatformOverloaded");
    const threshold = Number(/> ([\d.]+)$/.exec(rule?.expr ?? "")?.[1]);
    const slots = 1_000;
    let used = 0;
    while (mayTake(1, used, slots - used, "identity")) used += 1;
    expect(threshold).toBeLessThan(used / slots);
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
      expect(Object.keys(annotations).toSorted(), alert).toEqual(["description", "runbook_url", "summary"]);
      for (const text of Object.values(annotations)) expect(text, alert).not.toMatch(/no value|NaN|\{\{/);
    }
  });
});

/** The same scrapes with other labels, shifted in time so that they end when those of `other` do. */
function beside(
  other: readonly Scrape[],
  scrapes: readonly Scrape[],
  labelsOf: (labels: TargetLabels) => TargetLabels,
) {
  const end = (all: readonly Scrape[]) => Math.max(...all.map(({ time }) => time));
  const shift = end(other) - end(scrapes);
  return scrapes.map((scrape) => ({ ...scrape, time: scrape.time + shift, labels: labelsOf(scrape.labels) }));
}

const inCluster = (cluster: string) => (labels: TargetLabels) => ({ ...labels, cluster });
/** A release of its own, in cluster one. */
const blue = ({ namespace, job, instance, pod }: TargetLabels) => ({
  cluster: "one",
  namespace: `${namespace}-blue`,
  job: `${job}-blue`,
  instance: `1${instance}`,
  pod,
});
const byTime = (scrapes: readonly Scrape[]) => scrapes.toSorted((one, another) => one.time - another.time);

describe("alerts of one of two releases in a cluster, and of two clusters in one store", () => {
  let firing: readonly FiringAlert[];
  const firingOn = (name: string) => firing.filter(({ recording }) => recording === name);

  beforeAll(async () => {
    const { scrapes: healthy } = await readRecording("Healthy");
    const { scrapes: leaderless } = await readRecording("MusterNoLeader");
    const withOthers = (scrapes: readonly Scrape[]) =>
      byTime([
        ...beside(scrapes, scrapes, inCluster("one")),
        ...beside(scrapes, healthy, blue),
        ...beside(scrapes, healthy, inCluster("two")),
      ]);
    const recordings = (await recordingNames()).map(async (name) => {
      const { scrapes } = await readRecording(name);
      return { name, scrapes: withOthers(scrapes) };
    });
    const renamed = (scrapes: readonly Scrape[]) =>
      scrapes.map((one) => ({
        ...one,
        text: one.text?.replaceAll('name="muster"', 'name="a-muster-operator-b"') ?? null,
      }));
    // Another controller, whose metric and name are alike.
    const alike = leaderless.map(({ time }) => ({
      time,
      labels: { job: "muster-mirror", namespace: "other", pod: "other-0", instance: "10.0.0.99:8080" },
      text: '# TYPE leader_election_master_status gauge\nleader_election_master_status{name="muster-mirror"} 1\n',
    }));
    const ended = byTime(beside(healthy, healthy, blue)).map((scrape, index, all) =>
      index < all.length - new Set(healthy.map(({ labels }) => labels.pod)).size ? scrape : { ...scrape, text: null },
    );
    const more = [
      { name: "renamed", scrapes: renamed(healthy) },
      { name: "renamed without a leader", scrapes: byTime([...renamed(leaderless), ...alike]) },
      { name: "ended", scrapes: byTime([...beside(healthy, healthy, inCluster("one")), ...ended]) },
    ];
    const rules = [ruleFile(operator), ruleFile(platform)];
    const all = [...(await Promise.all(recordings)), ...more];
    firing = (await evaluate({ rules, recordings: all, extend })).alerts ?? [];
  });

  it.each(alerts)("%s fires for the release that fails, and for no other", (alert) => {
    expect(firingOn(alert).map((one) => one.alert)).toContain(alert);
    for (const { labels } of firingOn(alert)) {
      expect(labels).toMatchObject({ cluster: "one" });
      expect(labels["namespace"]).not.toMatch(/-blue$/);
    }
  });

  it("none fires while everything works, whatever the name of the Lease", () => {
    expect([...firingOn("Healthy"), ...firingOn("renamed")]).toEqual([]);
  });

  it("MusterNoLeader fires if the Lease has another name, and another controller leads", () => {
    const fired = firingOn("renamed without a leader").filter(({ alert }) => alert === "MusterNoLeader");
    expect(fired).toMatchObject([{ labels: { namespace: "muster-system" } }]);
  });

  it("one fires for a release of which nothing is left, beside one that works", () => {
    const fired = firingOn("ended").map(({ alert, labels }) => `${alert} ${labels["namespace"]}`);
    expect(fired.toSorted()).toEqual(["MusterNoLeader muster-system-blue", "MusterPlatformDown muster-platform-blue"]);
  });
});

describe.each([
  ["operator", operator],
  ["platform", platform],
] as const)("the alerts of the %s", (component, rules) => {
  const path = `docs/operate/${component}-alerts.md`;

  it.each(alertsIn(rules))("$alert has a section, to which it links", async (rule) => {
    const page = await readFile(new URL(`../../${path}`, import.meta.url), "utf8");
    const severity = `${rule.labels.severity.charAt(0).toUpperCase()}${rule.labels.severity.slice(1)}`;
    const delay = rule.for === undefined ? "at once" : `after ${rule.for}`;
    expect(page).toContain(`\n## ${rule.alert}\n\n*${severity}, ${delay}.* `);
    expect(rule.annotations["runbook_url"]).toBe(`${path}#${rule.alert.toLowerCase()}`);
  });
});
